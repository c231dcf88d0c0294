# #region demo
npm ci
npm run demo
# #endregion

# #region test
npm test
# #endregion
