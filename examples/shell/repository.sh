# #region start
npm ci && npm run demo   # under a minute: an agent, a program and a search, against emulated vendors
npm ci && npm test       # about 4 minutes: lint, types, build, sizes, links and unit tests
# #endregion
