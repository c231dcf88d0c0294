# #region demo
npm ci
npm run demo
# #endregion
