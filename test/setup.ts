import fc from 'fast-check';

// The same cases for the same commit, so that a rare one is found by `npm test` or `npm run test:full` and refuses no
// change that has nothing to do with it.
if (process.env.CI && !process.env.ALL_CASES) fc.configureGlobal({ seed: 20260 });
