import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFocused } from '../../../../src/extension/sessions/focusedRow.ts';

interface Row {
  readonly id: string;
}

/** A list as VS Code tells of it: each read and each change makes new objects. */
function openList(focused: string | undefined, selected: readonly string[]) {
  let ids = selected;
  const list = {
    get selection(): readonly Row[] {
      return ids.map((id) => ({ id }));
    },
  };
  const toggle = async () => {
    if (focused === undefined) return;
    ids = ids.includes(focused) ? ids.filter((id) => id !== focused) : [...ids, focused];
  };
  const read = () => readFocused(list, toggle, (one, other) => one.id === other.id);
  return { read, selected: () => ids };
}

function check(name: string, focused: string | undefined, selected: readonly string[]) {
  test(name, async () => {
    const list = openList(focused, selected);
    assert.equal((await list.read())?.id, focused);
    assert.deepEqual([...list.selected()].sort(), [...selected].sort());
  });
}

check('the row to which the arrow keys went is read, not the one that is selected', 'b', ['a']);
check('a row that is focused and selected is read', 'a', ['a']);
check('a focused row is read if none is selected', 'b', []);
check('one of several selected rows is read', 'b', ['a', 'b', 'c']);
check('without a focus nothing is read', undefined, ['a']);
