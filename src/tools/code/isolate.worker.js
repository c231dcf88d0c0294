/**
 * One program in one QuickJS isolate, on a thread that lives as long as the program.
 *
 * `isolate.ts` starts it from this text, so that it needs no file of its own when the library is bundled.
 */
const { parentPort, workerData } = require('node:worker_threads');

const { code, connectors, core, variant, wasm, now, limits } = workerData;

// The isolate's only clocks: they do not advance, and use UTC. QuickJS also seeds Math.random from them.
Date.now = () => now;
performance.now = () => 0;
Date.prototype.getTimezoneOffset = () => 0;

/** Runs inside the isolate before the program, and defines its globals. */
function prelude(names, call, log, finish) {
  const { parse, stringify } = JSON;
  class ConnectorError extends Error {
    constructor(details) {
      super(details.message);
      Object.assign(this, details);
    }
  }
  const request = async (connector, entity, action, params, options) => {
    const text = stringify({ connector, entity, action, params, options });
    const reply = parse(await call(text));
    if (reply.error) throw new ConnectorError(reply.error);
    return reply;
  };
  async function* all(run, params, options) {
    for (let next = {}; next; ) {
      const page = await run({ ...params, ...next }, options);
      if (!Array.isArray(page.data)) throw new TypeError('all() is for actions that give a list');
      yield* page.data;
      next = page.next;
    }
  }
  const actionOf = (connector, entity, action) => {
    const run = (params = {}, options = {}) => request(connector, entity, action, params, options);
    run.all = (params, options) => all(run, params, options);
    return run;
  };
  // Names are resolved outside, where an error can suggest the closest one.
  const named = (make) =>
    new Proxy(Object.freeze({}), {
      get: (_, name) => (typeof name === 'string' && name !== 'then' ? make(name) : undefined),
    });
  for (const [name, connector] of parse(names)) {
    globalThis[name] = named((entity) => named((action) => actionOf(connector, entity, action)));
  }
  const textOf = (value) => (typeof value === 'string' ? value : (stringify(value) ?? String(value)));
  const write = (...values) => log(values.map(textOf).join(' '));
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write };
  const describe = (thrown) => {
    // When memory runs out, there is none left for an error.
    const error = thrown === null ? { name: 'InternalError', message: 'out of memory' } : thrown;
    const { name, message, code: errorCode, hint, stack } = Object(error);
    const [, line] = /\(code\.js:(\d+)/.exec(String(stack)) ?? [];
    return stringify({
      name: String(name ?? 'Error'),
      message: String(message ?? error),
      ...(errorCode !== undefined && { code: String(errorCode) }),
      ...(hint !== undefined && { hint: String(hint) }),
      ...(line !== undefined && { line: Number(line) }),
    });
  };
  return (result) =>
    result
      .then((value) => finish('value', stringify(value) ?? 'null'))
      .then(undefined, (error) => finish('error', describe(error)));
}

const logged = [];
let room = limits.logChars;
let steps = 0;
let hasEnded = false;
let isReady = false;

function end(ending, text = '') {
  if (hasEnded) return;
  hasEnded = true;
  // Interrupted code may look as if it had thrown.
  const isInterrupted = steps > limits.steps;
  parentPort.postMessage(isInterrupted ? { ending: 'steps', text: '', log: logged } : { ending, text, log: logged });
}

async function start() {
  const { newQuickJSWASMModuleFromVariant, newVariant } = require(core);
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: Math.ceil(limits.memoryBytes / 65_536) + 256 });
  const custom = newVariant(require(variant).default, { wasmModule: wasm, wasmMemory });
  const quickjs = await newQuickJSWASMModuleFromVariant(custom);
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(256 * 1024);
  runtime.setInterruptHandler(() => ++steps > limits.steps);
  const context = runtime.newContext();
  const waiting = new Map();
  let calls = 0;

  /** A string from the isolate, unless it is too long to copy. */
  const read = (handle, maxLength) => {
    if (context.typeof(handle) !== 'string') return undefined;
    const length = context.getProp(handle, 'length').consume((value) => context.getNumber(value));
    return length > maxLength ? undefined : context.getString(handle);
  };
  const answer = (deferred, text) => context.newString(text).consume((value) => deferred.resolve(value));

  const call = context.newFunction('call', (handle) => {
    const deferred = context.newPromise();
    const text = read(handle, limits.callChars);
    const refusal =
      text === undefined
        ? `The parameters of a call are limited to ${limits.callChars} characters.`
        : ++calls > limits.calls
          ? `The code has reached its limit of ${limits.calls} calls.`
          : undefined;
    if (refusal === undefined) {
      waiting.set(calls, deferred);
      parentPort.postMessage({ call: calls, text });
    } else {
      answer(deferred, JSON.stringify({ error: { code: 'too_large', message: refusal } }));
    }
    return deferred.handle;
  });
  const log = context.newFunction('log', (handle) => {
    const line = read(handle, room);
    if (room < 0) return;
    room = line === undefined ? -1 : room - line.length - 1;
    logged.push(line !== undefined && room >= 0 ? line : 'The rest of the log was omitted.');
  });
  const finish = context.newFunction('finish', (ending, handle) => {
    const text = read(handle, limits.outputChars);
    end(text === undefined ? 'output' : context.getString(ending), text);
  });

  /** Ends the run if an evaluation failed; otherwise returns its value. */
  const unwrap = (result) => {
    if (!result.error) return result.value;
    const { name, message, stack } = context.dump(result.error);
    const [, line] = /code\.js:(\d+)/.exec(stack) ?? [];
    end('error', JSON.stringify({ name, message, ...(line && { line: Number(line) }) }));
    return undefined;
  };
  /** Runs pending jobs, a few at a time: code may catch the error that is meant to end it, and continue. */
  const drain = () => {
    while (!hasEnded && runtime.hasPendingJob()) {
      const result = runtime.executePendingJobs(100);
      if (steps > limits.steps) end('steps');
      else if (result.error) unwrap(result);
    }
    if (waiting.size === 0) end('stalled');
  };

  isReady = true;
  parentPort.on('message', ({ call: id, text }) =>
    guard(() => {
      const deferred = waiting.get(id);
      waiting.delete(id);
      if (hasEnded || !deferred) return;
      answer(deferred, text);
      drain();
    }),
  );
  const setUp = unwrap(context.evalCode(`(${prelude})`, 'prelude.js'));
  const names = context.newString(JSON.stringify(connectors));
  const settle = unwrap(context.callFunction(setUp, context.undefined, names, call, log, finish));
  const result = unwrap(context.evalCode(`(async () => {${code}\n})()`, 'code.js'));
  if (result === undefined) return;
  if (unwrap(context.callFunction(settle, context.undefined, result)) !== undefined) drain();
}

/** Errors here are faults of the isolate, such as a stack overflow; their text may contain host paths. */
function guard(work) {
  try {
    return work();
  } catch {
    end(isReady ? 'crash' : 'engine');
  }
}

start().catch(() => end(isReady ? 'crash' : 'engine'));
