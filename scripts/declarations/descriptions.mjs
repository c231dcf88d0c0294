import ts from 'typescript';
import { descriptionOf } from '../description-of.mjs';

/** Documents the fields of the service's HTTP bodies in declarations, from their schemas' `describe`. */
export const descriptionsAsComments = (program) => () => (declaration) => {
  const { fileName } = declaration;
  if (!/\/src\/wire\/\w+\.ts$/.test(fileName)) return declaration;
  const checker = program.getTypeChecker();
  const exports = checker.getSymbolAtLocation(program.getSourceFile(fileName)).exports;

  const explain = (member, symbol) => {
    const [field] = symbol?.declarations ?? [];
    const text = field && descriptionOf(field.initializer ?? field.name, checker);
    if (text) ts.addSyntheticLeadingComment(member, ts.SyntaxKind.MultiLineCommentTrivia, `* ${text} `, true);
  };
  /** Visits a type as written next to the same type as the compiler knows it, which leads to the fields' schemas. */
  const visit = (node, type) => {
    for (const member of node.members ?? []) {
      const symbol = checker.getPropertyOfType(type, member.name.text);
      explain(member, symbol);
      if (symbol && member.type) visit(member.type, checker.getTypeOfSymbol(symbol));
    }
    const parts = type.target ? checker.getTypeArguments(type) : [];
    for (const [index, part] of (node.typeArguments ?? node.elements ?? []).entries()) {
      if (parts[index]) visit(part, parts[index]);
    }
  };
  for (const statement of declaration.statements.filter(ts.isVariableStatement)) {
    for (const { name, type } of statement.declarationList.declarations) {
      const symbol = exports.get(name.text);
      if (symbol && type) visit(type, checker.getTypeOfSymbol(symbol));
    }
  }
  return declaration;
};
