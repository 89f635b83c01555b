/** Where the programs of a call run: in a copy of the workspace, confined to it, or as any other program. */
export type Isolation = 'copy' | 'confined' | 'unconfined';
