/** The part of the built-in git extension that tells about changes. */
export interface GitStates {
  readonly isActive: boolean;
  readonly exports: {
    /** Throws if the setting `git.enabled` is off, or no git is installed. */
    getAPI(version: 1): {
      readonly repositories: readonly {
        readonly state: {
          readonly workingTreeChanges: readonly unknown[];
          readonly indexChanges: readonly unknown[];
        };
      }[];
    };
  };
}

/** Whether something is not committed, as far as the git extension, if it runs, has seen by now. */
export function hasUncommitted(extension: GitStates | undefined): boolean {
  if (!extension?.isActive) return false;
  try {
    return extension.exports
      .getAPI(1)
      .repositories.some(
        ({ state }) => state.workingTreeChanges.length + state.indexChanges.length > 0,
      );
  } catch {
    return false;
  }
}
