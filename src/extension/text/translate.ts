/** The type of `vscode.l10n.t`, for modules that tests run without VS Code. */
export type Translate = (message: string, ...values: (string | number)[]) => string;
