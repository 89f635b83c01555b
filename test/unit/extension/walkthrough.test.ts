import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../../src/extension/commands.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const texts: Readonly<Record<string, string>> = JSON.parse(read('package.nls.json'));

interface Step {
  readonly id: string;
  readonly description: string;
  readonly media: { readonly image: Readonly<Record<string, string>>; readonly altText: string };
}
const { contributes } = JSON.parse(read('package.json'));
const steps: readonly Step[] = contributes.walkthroughs[0].steps;

test('the walkthrough has five steps, each with a button of ours', () => {
  assert.equal(steps.length, 5);
  for (const { description } of steps) {
    const text = texts[description.slice(1, -1)] ?? '';
    const [, command = ''] = /\n\[[^\]]+\]\(command:([\w.]+)\)$/.exec(text) ?? [];
    assert.ok(Object.hasOwn(COMMANDS, command), text);
  }
});

/** The darkest and the lightest color of each theme stand in its pictures. */
const COLORS: Readonly<Record<string, string>> = {
  light: '#ffffff',
  dark: '#1f1f1f',
  hc: '#000000',
  hcLight: '#0f4a85',
};

for (const [theme, color] of Object.entries(COLORS)) {
  test(`each step has a picture of its own for the theme ${theme}, in its colors`, () => {
    const pictures = steps.map(({ media }) => read(media.image[theme] ?? ''));
    assert.equal(new Set(pictures).size, steps.length);
    for (const picture of pictures) {
      assert.match(picture, /^<svg [^>]*viewBox="0 0 400 240"/);
      assert.ok(picture.includes(color), picture.slice(0, 200));
      // Nothing that runs or is fetched.
      assert.doesNotMatch(picture, /<script|href|url\(/);
    }
  });
}

test('each picture has a text that says what it shows', () => {
  const alternatives = steps.map(({ media }) => texts[media.altText.slice(1, -1)] ?? '');
  assert.equal(new Set(alternatives).size, steps.length);
  assert.ok(alternatives.every((text) => text.length > 10));
});
