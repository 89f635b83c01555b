import * as vscode from 'vscode';
import { fieldAt } from '../../base/json.ts';
import type { Translate } from '../text/translate.ts';
import type { Attaching } from './attaching.ts';
import { readProblems } from './codeActions.ts';
import type { Attachable } from './readings.ts';
import { listTerminal, toFile, toSelection } from './sources.ts';
import type { TerminalOutput } from './terminalOutput.ts';

export interface AddParts {
  readonly attaching: Attaching;
  readonly terminal: TerminalOutput;
  readonly t: Translate;
  /** Opens the chat and returns the view whose message is written. */
  openChat(): Promise<Attachable>;
}

/** The commands that put something from the editor into the message that is written. None sends it. */
export function createAddActions(parts: AddParts) {
  const { attaching, terminal, t } = parts;
  const addTerminal = async (text?: string) => {
    const output = listTerminal(t, terminal);
    if (output.length > 0) return attaching.add(await parts.openChat(), output, text);
    void vscode.window.showInformationMessage(
      t("No terminal output yet. Shell integration hasn't reported a command."),
    );
  };
  return {
    /** Of the explorer, an editor, or a file or group of the source control view. */
    addToChat: async (first?: unknown, ...others: readonly unknown[]) => {
      const editor = vscode.window.activeTextEditor;
      const view = await parts.openChat();
      if (editor !== undefined && isOfEditor(editor, first, others)) {
        const { document, selection } = editor;
        const lines = selection.isEmpty ? toFile(document.uri) : toSelection(document, selection);
        await attaching.add(view, [lines]);
      } else await attaching.addUris(view, findUris(first, others));
    },
    fixProblem: async (target?: unknown) =>
      attaching.add(
        await parts.openChat(),
        await readProblems(target, t),
        t('Fix these problems.'),
      ),
    explainProblem: async (target?: unknown) =>
      attaching.add(
        await parts.openChat(),
        await readProblems(target, t),
        t('Explain these problems.'),
      ),
    addTerminalToChat: () => addTerminal(),
    explainLastCommand: () => addTerminal(t('Explain what this command did and why.')),
  };
}

/** Whether a command was run by a key or in the menu of the editor, which passes its file and nothing else. */
function isOfEditor(
  { document }: vscode.TextEditor,
  first: unknown,
  others: readonly unknown[],
): boolean {
  if (others.some((each) => Array.isArray(each))) return false;
  return (
    first === undefined ||
    (first instanceof vscode.Uri && first.toString() === document.uri.toString())
  );
}

/** The files that a menu was opened on: several selected ones, or those of a group. */
function findUris(first: unknown, others: readonly unknown[]): readonly vscode.Uri[] {
  // The explorer passes all selected files as a second argument, source control as further ones.
  const [second] = others;
  const given = Array.isArray(second) ? second : [first, ...others];
  const states = given.flatMap((each: unknown) => {
    const members = fieldAt(each, 'resourceStates');
    return Array.isArray(members) ? members : [each];
  });
  return states.flatMap((each: unknown) => {
    const uri = each instanceof vscode.Uri ? each : fieldAt(each, 'resourceUri');
    return uri instanceof vscode.Uri ? [uri] : [];
  });
}
