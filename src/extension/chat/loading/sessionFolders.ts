/** The folders of a session. */
export interface SessionFolders {
  /**
   * Where the host runs commands: the first workspace folder, or a scratch folder if none is open.
   */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
}

/** The folders as parameters of a request that creates or loads a session. */
export function toFolderParams({ cwd, additionalDirectories }: SessionFolders) {
  const more = { additionalDirectories: [...additionalDirectories] };
  return { cwd, mcpServers: [], ...(additionalDirectories.length > 0 && more) };
}
