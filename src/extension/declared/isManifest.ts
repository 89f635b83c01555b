import { DIALECT_IDS, getDialectFacts } from '../../base/tools/dialectFacts.ts';

/** Number of characters at the start of a file that are searched. */
const HEAD = 4096;

/** Whether a document declares tools. `head` gets the first characters of its text. */
export function isManifest(path: string, head: (length: number) => string): boolean {
  return DIALECT_IDS.map(getDialectFacts).some(
    (facts) => facts.file.test(path) && (facts.head === undefined || facts.head.test(head(HEAD))),
  );
}
