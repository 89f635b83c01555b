/** Where the agent works. */
export interface Environment {
  readonly platform: NodeJS.Platform;
  /** The session's working directory, absolute (spec CS-5). */
  readonly root: string;
  readonly additionalRoots?: readonly string[];
  /** One line, such as `branch main, 2 files changed`; absent outside a repository. */
  readonly git?: string;
  /**
   * Milliseconds since the epoch. The prompt contains only the date, so that prompt caches stay
   * valid.
   */
  readonly now: number;
  readonly model: string;
}

export function environmentSection(environment: Environment): string {
  const lines = [
    `Platform: ${environment.platform}`,
    `Workspace root: ${environment.root}`,
    ...(environment.additionalRoots ?? []).map((root) => `Also open: ${root}`),
    ...(environment.git === undefined ? [] : [`Git: ${environment.git}`]),
    `Date: ${new Date(environment.now).toISOString().slice(0, 10)}`,
    `Model: ${environment.model}`,
  ];
  return `# Environment\n${lines.map((line) => `- ${line}`).join('\n')}`;
}
