#!/usr/bin/env node
if (process.argv[2] !== 'demo') await import('../dist/cli.js');
else {
  // Only the demo needs the library and the service; the sandbox itself does not.
  await import('../dist/demo.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/'agent-connectors(-service)?'/.test(error.message)) throw error;
    console.error('The demo needs two more packages: npm install agent-connectors agent-connectors-service');
    process.exitCode = 1;
  });
}
