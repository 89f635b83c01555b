/** `vscode.l10n.t` for modules that tests run without the editor. */
export type Translate = (message: string, ...values: (string | number)[]) => string;

/** English as it stands in the source, for tests. */
export const english: Translate = (message, ...values) =>
  message.replace(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)] ?? ''));
