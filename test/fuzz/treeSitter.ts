import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';

/** A second opinion on whether a line is bash. */
export interface BashOracle {
  hasError(line: string): boolean;
}

/** tree-sitter's bash grammar, from the package: it is not shipped. */
export async function loadBashOracle(): Promise<BashOracle> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@vscode/tree-sitter-wasm');
  const { Parser, Language }: typeof TreeSitter = require(entry);
  const read = (name: string) => readFileSync(entry.replace(/[^/\\]+$/, name));
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(read('tree-sitter-bash.wasm')));
  return {
    hasError(line) {
      const tree = parser.parse(line);
      const hasError = tree?.rootNode.hasError ?? true;
      tree?.delete();
      return hasError;
    },
  };
}
