import type * as vscode from 'vscode';
import type { CommitMessage, CommitQuery } from '../../acp/gatehouse/session.ts';
import { getMessage } from '../../base/faults.ts';
import { fieldAt } from '../../base/json.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import type { GitRepository } from './gitChanges.ts';

export interface CommitMessageParts {
  readonly window: Pick<
    typeof vscode.window,
    'showErrorMessage' | 'showInformationMessage' | 'showQuickPick'
  >;
  readonly t: Translate;
  /** Rejects if the Git extension is on and can't be used; undefined without it. */
  repositories(): Promise<readonly CommitRepository[] | undefined>;
  /** Shows progress that the user can cancel. */
  during(work: (signal: AbortSignal) => Promise<void>): Thenable<void>;
  /** The host's id of the session whose model writes it. */
  sessionId(): string | undefined;
  ask(query: CommitQuery, signal: AbortSignal): Promise<CommitMessage>;
}

/** The part of a repository that is used. */
export type CommitRepository = Pick<GitRepository, 'rootUri' | 'inputBox'>;

/**
 * Writes a message about what is staged into the input of the Git extension. It commits nothing. `target`: the
 * repository whose button was used, as the source control view passes it. Cancelling ends the model's request
 * and leaves the input alone.
 */
export async function generateCommitMessage(
  parts: CommitMessageParts,
  target?: unknown,
): Promise<void> {
  const { t, window } = parts;
  // Rejected when its setting `git.enabled` is off, or no git is installed.
  const repositories = await parts.repositories().catch(() => undefined);
  if (repositories === undefined) {
    const text = t(
      "VS Code's Git extension is missing or turned off, so no commit message was written. Turn it on and try again.",
    );
    void window.showErrorMessage(text);
    return;
  }
  if (repositories.length === 0) {
    void window.showInformationMessage(t('No Git repository is open in this window.'));
    return;
  }
  const repository = await choose(parts, repositories, fieldAt(target, 'rootUri'));
  if (repository !== undefined) await parts.during((signal) => fill(parts, repository, signal));
}

async function choose(
  { window, t }: CommitMessageParts,
  repositories: readonly CommitRepository[],
  root: unknown,
): Promise<CommitRepository | undefined> {
  const known = repositories.find(({ rootUri }) => rootUri.toString() === String(root));
  if (known !== undefined || repositories.length === 1) return known ?? repositories[0];
  const rows = repositories.map((repository) => ({
    ...toPlainRow({
      label: repository.rootUri.path.replace(/^.*\//, ''),
      description: repository.rootUri.fsPath,
    }),
    repository,
  }));
  return (await window.showQuickPick(rows, { title: t('Generate Commit Message') }))?.repository;
}

async function fill(
  parts: CommitMessageParts,
  repository: CommitRepository,
  signal: AbortSignal,
): Promise<void> {
  const { window, t, ask, sessionId } = parts;
  const { rootUri, inputBox } = repository;
  const draft = inputBox.value;
  const id = sessionId();
  try {
    const query = {
      root: rootUri.fsPath,
      ...(id !== undefined && { sessionId: id }),
      ...(draft !== '' && { draft }),
    };
    const { message } = await ask(query, signal);
    if (signal.aborted) return;
    if (inputBox.value === draft || (await replaces(parts))) inputBox.value = message;
  } catch (error) {
    if (signal.aborted) return;
    const message = t('No commit message was written: {0}', getMessage(error));
    void window.showErrorMessage(plainNotice(message));
  }
}

/** What was typed meanwhile is not thrown away unasked. */
async function replaces({ window, t }: CommitMessageParts): Promise<boolean> {
  const replace = t('Replace');
  const text = t('You changed the commit message while another one was generated. Replace yours?');
  return (await window.showInformationMessage(text, replace)) === replace;
}
