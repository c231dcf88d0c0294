// Finds promises in the service that are not awaited, or that are used as if they were their resolved values.
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const config = ts.getParsedCommandLineOfConfigFile(
  `${root}/tsconfig.json`,
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic(diagnostic) {
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
    },
  },
);
if (!config) throw new Error('There is no tsconfig.json.');
const files = config.fileNames.filter((name) => relative(root, name).startsWith('service/src/'));
const program = ts.createProgram(files, config.options);
const checker = program.getTypeChecker();

const { SyntaxKind } = ts;
/** Operators whose result does not depend on a promise's value. */
const valueBlindOperators = new Set([
  SyntaxKind.EqualsEqualsToken,
  SyntaxKind.ExclamationEqualsToken,
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.PlusToken,
  SyntaxKind.InKeyword,
  SyntaxKind.InstanceOfKeyword,
]);
/** Operators that only check their left side for existence. */
const shortCircuitOperators = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
]);

/** Why the position of a promise expression is a mistake, if it is. @param {import('typescript').Node} node */
function faultOf(node) {
  let inner = node;
  let outer = node.parent;
  while (
    ts.isParenthesizedExpression(outer) ||
    ts.isNonNullExpression(outer) ||
    ts.isAsExpression(outer) ||
    ts.isSatisfiesExpression(outer)
  ) {
    inner = outer;
    outer = outer.parent;
  }
  if (ts.isExpressionStatement(outer)) return 'is not awaited';
  if (ts.isPrefixUnaryExpression(outer)) return 'is taken for its value';
  if (ts.isTemplateSpan(outer) || ts.isSpreadElement(outer) || ts.isSpreadAssignment(outer))
    return 'is taken for its value';
  if (ts.isBinaryExpression(outer)) {
    const operator = outer.operatorToken.kind;
    const isTested = shortCircuitOperators.has(operator) && outer.left === inner;
    return valueBlindOperators.has(operator) || isTested ? 'is taken for its value' : undefined;
  }
  const isCondition =
    ((ts.isIfStatement(outer) || ts.isWhileStatement(outer)) && outer.expression === inner) ||
    (ts.isConditionalExpression(outer) && outer.condition === inner);
  return isCondition ? 'is taken for its value' : undefined;
}

/** Whether a promise has a rejection handler. @param {import('typescript').CallExpression} call */
function isHandled({ expression, arguments: args }) {
  if (!ts.isPropertyAccessExpression(expression)) return false;
  return expression.name.text === 'catch' || (expression.name.text === 'then' && args.length === 2);
}

/** @param {import('typescript').Expression} expression */
function isPromise(expression) {
  const type = checker.getTypeAtLocation(expression);
  return type.getProperty('then') !== undefined && type.getProperty('catch') !== undefined;
}

/** @type {string[]} */
const problems = [];
for (const source of program.getSourceFiles()) {
  if (source.isDeclarationFile || !files.includes(source.fileName)) continue;
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    if (ts.isCallExpression(node) && isPromise(node)) {
      const fault = faultOf(node);
      if (fault !== undefined && !(fault === 'is not awaited' && isHandled(node))) {
        const { line, character } = source.getLineAndCharacterOfPosition(node.getStart());
        const text = node.getText().replaceAll(/\s+/g, ' ').slice(0, 80);
        problems.push(`${relative(root, source.fileName)}:${line + 1}:${character + 1} ${text} ${fault}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
for (const line of problems) console.error(line);
if (problems.length > 0) process.exitCode = 1;
