/** The paths that the file tools may reach, before an agent's capabilities restrict them. */
export const REACH = ['{workspace}/**', '{ad-hoc}/**', '{user-data}/**'] as const;

/** The schema of a file's path. */
export const FILE_PATH = {
  type: 'string',
  minLength: 1,
  description: 'The file: absolute, or relative to the workspace root.',
} as const;
