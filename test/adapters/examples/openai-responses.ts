import { answerResponse, responseTools } from 'agent-connectors/openai';
import OpenAI from 'openai';
import { prompt, signal, tools } from './given.js';

const openai = new OpenAI();
const request = { model: 'gpt-5', tools: responseTools(tools) };
let response = await openai.responses.create({ ...request, input: prompt });
for (;;) {
  const input = await answerResponse(tools, response.output, { signal });
  if (input.length === 0) break;
  response = await openai.responses.create({ ...request, input, previous_response_id: response.id });
}
console.log(response.output_text);
