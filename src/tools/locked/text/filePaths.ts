/** The schema of a file's path. */
export const FILE_PATH = {
  type: 'string',
  minLength: 1,
  description: 'The file: absolute, or relative to the workspace root.',
} as const;
