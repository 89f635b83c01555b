import * as vscode from 'vscode';
import { type GitStates, hasUncommitted } from './uncommitted.ts';

/** The part of the built-in git extension's API (version 1) that is used. */
interface GitApi {
  readonly repositories: readonly GitRepository[];
}

/** A repository of the built-in git extension. */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  diff(cached?: boolean): Promise<string>;
}

/** The repositories of the window. Undefined without the built-in git extension. */
export async function getRepositories(): Promise<readonly GitRepository[] | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
  if (extension === undefined) return undefined;
  const git = extension.isActive ? extension.exports : await extension.activate();
  return git.getAPI(1).repositories;
}

/** The staged changes and the others of all repositories as one diff; empty if there are none. */
export async function readChanges(): Promise<string> {
  const repositories = (await getRepositories()) ?? [];
  const diffs = await Promise.all(
    repositories.flatMap((repository) => [repository.diff(true), repository.diff(false)]),
  );
  return diffs.filter((diff) => diff !== '').join('\n');
}

/** Whether something is not committed, as far as the git extension, if it runs, has seen by now. */
export function hasChanges(): boolean {
  return hasUncommitted(vscode.extensions.getExtension<GitStates['exports']>('vscode.git'));
}
