// #region chat
import { answerChat, chatTools } from 'agent-connectors/openai';
import OpenAI from 'openai';
import { prompt, signal, tools } from './given.js';

const openai = new OpenAI();
const model = 'gpt-5';
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }];
for (;;) {
  const { choices } = await openai.chat.completions.create({ model, messages, tools: chatTools(tools) });
  const message = choices[0]!.message;
  messages.push(message, ...(await answerChat(tools, message, { signal })));
  if (!message.tool_calls?.length) break;
}

// #endregion

// #region responses
import { answerResponse, responseTools } from 'agent-connectors/openai';

let response = await openai.responses.create({ model, input: prompt, tools: responseTools(tools) });
for (;;) {
  const input = await answerResponse(tools, response.output, { signal });
  if (input.length === 0) break;
  response = await openai.responses.create({
    ...{ model, input, previous_response_id: response.id },
    tools: responseTools(tools),
  });
}

// #endregion

// #region agents
import { Agent, run } from '@openai/agents';
import { agentTools } from 'agent-connectors/openai';

const agent = new Agent({ name: 'Planner', tools: agentTools(tools) });
const { finalOutput } = await run(agent, prompt, { signal });

// #endregion
export { finalOutput };
