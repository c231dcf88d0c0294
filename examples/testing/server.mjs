/** A product with one page, which lists issues of Linear. */
import { createServer } from 'node:http';
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({
  credentials: { api_key: process.env.LINEAR_API_KEY },
  endpoints: process.env.SANDBOX_URL, // undefined in production: Linear itself
});

async function content() {
  try {
    const { data } = await linear.issues.list({ first: 5 });
    return `<ul>${data.map(({ identifier }) => `<li>${identifier}</li>`).join('')}</ul>`;
  } catch {
    return '<p role="alert">Linear cannot be reached. Try again later.</p>';
  }
}

createServer(async (_, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Issues</title>${await content()}`);
}).listen(3000, '127.0.0.1');
