import ts from 'typescript';

const vendorName = /(?<![a-z])(linear|gong|granola|google(?:[-_ ]?(?:drive|analytics))?)(?![a-z])/i;

/** Where a vendor can be named outside its connector, and why. */
const vendorExceptions: ReadonlyArray<{ readonly files: RegExp; readonly texts: RegExp; readonly reason: string }> = [
  { files: /^src\/auth\/service-account\.ts$/, texts: /./, reason: 'the auth scheme itself is of Google' },
  {
    files: /^src\/cli\/local\/variables\.ts$/,
    texts: /^GOOGLE_APPLICATION_CREDENTIALS$/,
    reason: 'the usual variable of that scheme',
  },
  {
    files: /^src\/cli\/(help|commands\/(?:account|connector)-table)\.ts$/,
    texts: /agent-connectors .+/,
    reason: 'examples in help',
  },
  { files: /^src\/cli\/mcp\/command-line\.ts$/, texts: /^Serve connectors/, reason: 'examples in help' },
  { files: /^service\/src\/options\.ts$/, texts: /such as/, reason: 'examples in messages' },
  { files: /^src\/wire\/connectors\.ts$/, texts: /such as linear/, reason: 'an example in the reference' },
];

/** Identifiers and literals that name a vendor; comments are ignored. */
export function vendorsNamed(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isWord = ts.isIdentifier(node) || ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node);
    const word = isWord ? node.text : ts.isRegularExpressionLiteral(node) ? node.getText() : '';
    // In camel case each part is a word.
    if (vendorName.test(word.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '))) found.push(word);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('text.ts', text, ts.ScriptTarget.Latest, true));
  return found.filter((word) => !vendorExceptions.some(({ files, texts }) => files.test(file) && texts.test(word)));
}
