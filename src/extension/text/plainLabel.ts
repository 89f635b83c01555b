/** An icon in a label of VS Code, such as `$(trash)` or `$(sync~spin)`. */
const ICON = /\$(?=\([a-z\d-]+(?:~[a-z]+)?\))/gi;

/**
 * Text for a label, description or detail of a quick pick, where VS Code draws `$(trash)` as an icon. A
 * zero-width space breaks that up, so that a name reads as it is written.
 */
export function toPlainLabel(text: string): string {
  return text.replaceAll(ICON, '$$\u200b');
}

/** The texts of a quick pick's row that VS Code draws icons in. */
interface RowTexts {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** A row whose texts read as they are written. */
export function toPlainRow<Row extends RowTexts>(row: Row): Row {
  const { label, description, detail } = row;
  return {
    ...row,
    label: toPlainLabel(label),
    ...(description !== undefined && { description: toPlainLabel(description) }),
    ...(detail !== undefined && { detail: toPlainLabel(detail) }),
  };
}
