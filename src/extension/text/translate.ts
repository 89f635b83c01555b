/** `vscode.l10n.t` for modules that tests run without the editor. */
export type Translate = (message: string, ...values: (string | number)[]) => string;
