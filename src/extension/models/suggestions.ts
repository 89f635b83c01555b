import { toCodeSpan } from '../../base/codeSpan.ts';
import { showHidden } from '../../base/hidden.ts';
import type { StartSuggestion } from '../../webview/messages/chatState.ts';
import type { Translate } from '../text/translate.ts';
import { isTestCommand } from './testCommand.ts';

/** What the workspace suggests to ask: a failing test, errors, the open file, changes that aren't committed. */
export interface SuggestionSources {
  readonly t: Translate;
  /** The scripted tour answers, which knows one task. */
  readonly tour: boolean;
  /** Else none of the others is read. */
  isTrusted(): boolean;
  /** The last command of the user's terminals. */
  readonly terminal: { readonly last: string | undefined; readonly exitCode: number | undefined };
  /** Whether something isn't committed. */
  changes(): boolean;
  openFile(): OpenFile | undefined;
}

interface OpenFile {
  /** Relative to its workspace folder. */
  readonly path: string;
  /** Its diagnostics of this severity. */
  readonly errors: number;
}

export function findSuggestions(sources: SuggestionSources): readonly StartSuggestion[] {
  const { t, tour } = sources;
  if (tour) return [say(t('Fix the failing test'), t('Fix the failing test'))];
  const project = say(
    t('Explain this project'),
    t('Give me an overview of this project: its parts, and how to run and test it.'),
  );
  const found = sources.isTrusted() ? findInWorkspace(sources) : [];
  return [...found, project].slice(0, MOST);
}

const MOST = 3;

/** A click sends the message: no name in it ends its quotes or its line, or hides a part of it. */
function findInWorkspace(sources: SuggestionSources): readonly StartSuggestion[] {
  const { t, changes } = sources;
  const failed = findFailedTest(sources);
  const { path = '', errors = 0 } = sources.openFile() ?? {};
  const label = showHidden(path);
  const named = toCodeSpan(path, SHOWN);
  return [
    ...(failed !== undefined
      ? [say(t('Fix the failing test'), t('{0} failed. Find out why and fix it.', failed))]
      : []),
    ...(errors > 0
      ? [say(t('Fix the errors in {0}', label), t('Fix the errors in {0}.', named))]
      : []),
    ...(changes()
      ? [say(t('Review my changes'), t('Review my uncommitted changes: what could go wrong?'))]
      : []),
    ...(path !== ''
      ? [say(t('Explain {0}', label), t('Explain what {0} does and how it is used.', named))]
      : []),
  ];
}

/** Characters of a command or path that are shown. */
const SHOWN = 200;

function findFailedTest({ terminal }: SuggestionSources): string | undefined {
  const { last, exitCode } = terminal;
  const failed = last !== undefined && exitCode !== undefined && exitCode !== 0;
  return failed && isTestCommand(last) ? toCodeSpan(last, SHOWN) : undefined;
}

function say(label: string, text: string): StartSuggestion {
  return { label, text };
}
