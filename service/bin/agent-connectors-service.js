#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// Starting creates much more at once than a service at rest does, and V8 would keep the memory for it. From when it
// listens, the service lets new space grow again. Other runtimes have no such flag.
if (!process.versions.bun && !process.versions.deno) setFlagsFromString('--semi-space-growth-factor=1');
await import('../dist/cli.js');
