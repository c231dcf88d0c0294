import ts from 'typescript';

/** The outermost `.describe('…')` of a schema, followed through constants. */
export function descriptionOf(node, checker, depth = 0) {
  if (node === undefined || depth > 8) return undefined;
  if (ts.isIdentifier(node)) {
    const shorthand = ts.isShorthandPropertyAssignment(node.parent);
    const symbol = shorthand
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    const resolved = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return descriptionOf(resolved?.valueDeclaration?.initializer, checker, depth + 1);
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name } = node.expression;
  if (name.text !== 'describe') return descriptionOf(expression, checker, depth + 1);
  const type = node.arguments[0] && checker.getTypeAtLocation(node.arguments[0]);
  return type?.isStringLiteral() ? type.value : node.arguments[0]?.text;
}
