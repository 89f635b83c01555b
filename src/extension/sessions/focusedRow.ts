/**
 * The row of a list that has the focus of the keyboard. VS Code tells an extension only which rows are selected, and
 * the arrow keys select none. So this selects the focused row, or deselects it, and changes it back.
 */
export async function readFocused<Row>(
  list: { readonly selection: readonly Row[] },
  toggle: () => PromiseLike<unknown>,
  isSame: (one: Row, other: Row) => boolean,
): Promise<Row | undefined> {
  const without = (rows: readonly Row[], others: readonly Row[]) =>
    rows.find((row) => !others.some((other) => isSame(row, other)));
  const before = list.selection;
  await toggle();
  const after = list.selection;
  const focused = without(after, before) ?? without(before, after);
  // Of another list, or of none.
  if (focused !== undefined) await toggle();
  return focused;
}
