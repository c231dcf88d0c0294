# #region build
npx tsc -p tsconfig.build.json
# #endregion
