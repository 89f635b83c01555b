import type { CodeLens } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { OpenUsedRule, UsedRule } from '../../base/tools/ruleWindow.ts';
import type { RuleDocument } from './ruleDocument.ts';

/** Above each rule how often it decided and when last, as far as the editor said. */
export function findLenses(
  { entries }: RuleDocument,
  text: TextDocument,
  uses: readonly OpenUsedRule[],
): readonly CodeLens[] {
  const own = uses.filter(({ uri }) => uri === text.uri);
  const words = new Map(own.map((use) => [toKey(use), use.text]));
  if (words.size === 0) return [];
  return entries.flatMap(({ node, rule, problems }): CodeLens[] => {
    const title = problems.length > 0 ? undefined : words.get(toKey(rule));
    if (title === undefined) return [];
    const start = text.positionAt(node.offset);
    const end = text.positionAt(node.offset + node.length);
    // A lens without a command only shows its title.
    return [{ range: { start, end }, command: { title, command: '' } }];
  });
}

/** Rules of the same words are the same rule, wherever it moved. */
function toKey({
  permission,
  pattern,
  action,
}: Pick<UsedRule, 'permission' | 'pattern' | 'action'>): string {
  return JSON.stringify([permission, pattern, action]);
}
