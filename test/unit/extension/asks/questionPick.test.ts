import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../../src/base/event.ts';
import type { PickOutcome } from '../../../../src/extension/asks/pickOutcome.ts';
import { toQuestionAsk, toQuestionReply } from '../../../../src/extension/asks/questionAsk.ts';
import { pickAnswers, startsWithPick } from '../../../../src/extension/asks/questionPick.ts';
import type { OpenedBy } from '../../../../src/extension/asks/safePick.ts';
import { ARM_DELAY, type QuestionAsk } from '../../../../src/webview/messages/asks.ts';
import { english } from '../english.ts';
import { settle } from '../fakeClock.ts';
import { FakePickWindow } from '../fakePick.ts';

const NOWHERE = { get: () => '', onDidChange: new Emitter<void>().event };
const COLOURS = [
  { const: 'red', title: 'Red', description: 'like a rose' },
  { const: 'blue', title: 'Blue' },
];
const FREE = { type: 'string', title: 'Other' } as const;

test('a choice with a free answer beside it is one field with "Other…"', () => {
  const ask = question({
    question_0: { type: 'string', title: 'Colour', oneOf: COLOURS },
    question_0_custom: FREE,
  });
  assert.deepEqual(ask.fields, [
    {
      key: 'question_0',
      title: 'Colour',
      required: false,
      input: {
        type: 'choice',
        multiple: false,
        choices: [
          { value: 'red', label: 'Red', description: 'like a rose' },
          { value: 'blue', label: 'Blue' },
        ],
      },
      otherKey: 'question_0_custom',
    },
  ]);
});

test('labels that differ only in their Markdown stay as they are written', () => {
  const labels = (values: readonly string[]) => {
    const ask = question({ which: { type: 'string', enum: [...values] } });
    const input = ask.fields[0]?.input;
    return input?.type === 'choice' ? input.choices.map(({ label }) => label) : [];
  };
  assert.deepEqual(labels(['`x`', '**y**']), ['x', 'y']);
  assert.deepEqual(labels(['`x`', 'x', '**y**']), ['`x`', 'x', '**y**']);
});

test('each kind of field is known', () => {
  const ask = question({
    plain: { type: 'string', enum: ['a', 'b'] },
    many: { type: 'array', items: { anyOf: COLOURS } },
    count: { type: 'integer' },
    sure: { type: 'boolean' },
    name: { type: 'string' },
  });
  assert.deepEqual(
    ask.fields.map(({ input }) => [input.type, 'multiple' in input && input.multiple]),
    [
      ['choice', false],
      ['choice', true],
      ['integer', false],
      ['boolean', false],
      ['text', false],
    ],
  );
});

test('texts with Markdown read as plain text, in the pick as in the card, and the answer is what was offered', async () => {
  const ask = question({
    tool: {
      ...{ type: 'string', title: '**Tool**', description: 'Which of `npm` and `pnpm`?' },
      oneOf: [
        { const: '`npm ci`', title: '`npm ci`', description: 'As the `lock` file says' },
        { const: 'pnpm', title: 'pnpm' },
      ],
    },
  });
  const { window, result } = answer(ask);
  assert.equal(window.shown.title, 'Which of npm and pnpm?');
  assert.equal(window.shown.placeholder, 'Tool');
  const [row] = window.shown.items;
  assert.deepEqual([row?.label, row?.detail], ['npm ci', 'As the lock file says']);
  choose(window, 'npm ci');
  assert.deepEqual(await result, { tool: '`npm ci`' });
});

test('a request that is no form is no question', () => {
  const url = {
    mode: 'url',
    message: '',
    elicitationId: 'e',
    url: 'https://a.example',
    sessionId: 's',
  };
  assert.equal(toQuestionAsk(url as never, 'ask', 0), undefined);
});

test('one choice is one quick pick', async () => {
  const { window, result } = answer(question({ colour: { type: 'string', oneOf: COLOURS } }));
  choose(window, 'Blue');
  assert.deepEqual(await result, { colour: 'blue' });
});

test('several choices are a list, in one answer', async () => {
  const ask = question({ colours: { type: 'array', items: { anyOf: COLOURS } } });
  const { window, result } = answer(ask);
  choose(window, 'Red', 'Blue');
  assert.deepEqual(await result, { colours: ['red', 'blue'] });
});

test('"Other…" takes free text beside the choices', async () => {
  const ask = question({ colour: { type: 'string', oneOf: COLOURS }, colour_custom: FREE });
  const { window, result } = answer(ask);
  window.inputs.push('green');
  choose(window, 'Other…');
  assert.deepEqual(await result, { colour_custom: 'green' });
});

test('several questions are steps, and back goes to the one before', async () => {
  const ask = question({
    first: { type: 'string', oneOf: COLOURS },
    second: { type: 'string', oneOf: COLOURS },
  });
  const { window, result } = answer(ask);
  assert.deepEqual([window.shown.step, window.shown.totalSteps], [1, 2]);
  choose(window, 'Red');
  await settle();
  window.shown.back();
  await settle();
  choose(window, 'Blue');
  await settle();
  choose(window, 'Red');
  assert.deepEqual(await result, { first: 'blue', second: 'red' });
});

test('numbers and yes or no come as what they are', async () => {
  const ask = question({ count: { type: 'integer' }, sure: { type: 'boolean' } });
  const { window, result } = answer(ask, ['3']);
  await settle();
  choose(window, 'Yes');
  assert.deepEqual(await result, { count: 3, sure: true });
});

test('hiding a step keeps the question pending', async () => {
  const { window, result } = answer(question({ colour: { type: 'string', oneOf: COLOURS } }));
  window.shown.hide();
  assert.equal(await result, undefined);
});

test('Enter checks and answers nothing in a multi-select that opened by itself', async () => {
  const ask = question({ colours: { type: 'array', items: { anyOf: COLOURS } } });
  const { window, outcome } = answer(ask, [], 'itself');
  window.clock.tick(ARM_DELAY);
  window.shown.type('blue');
  window.shown.enter();
  window.clock.tick(300);
  assert.deepEqual(await outcome, { kind: 'typed', text: 'blue' });
});

test('only a question that starts with a quick pick may open by itself', () => {
  const first = (property: object) => startsWithPick(question({ first: property }));
  assert.equal(first({ type: 'string', oneOf: COLOURS }), true);
  assert.equal(first({ type: 'boolean' }), true);
  assert.equal(first({ type: 'string' }), false);
  assert.equal(first({ type: 'integer' }), false);
});

test('the reply is accept, decline or cancel', () => {
  assert.deepEqual(toQuestionReply({ kind: 'form', content: { a: ['x'] } }), {
    action: 'accept',
    content: { a: ['x'] },
  });
  assert.deepEqual(toQuestionReply({ kind: 'decline' }), { action: 'decline' });
  assert.deepEqual(toQuestionReply(undefined), { action: 'cancel' });
});

function question(properties: object): QuestionAsk {
  const requestedSchema = { type: 'object' as const, properties };
  const request = { mode: 'form', message: 'Which?', sessionId: 's', requestedSchema };
  const ask = toQuestionAsk(request as never, 'ask-1', 0);
  assert.ok(ask);
  return ask;
}

function answer(ask: QuestionAsk, inputs: readonly string[] = [], openedBy: OpenedBy = 'user') {
  const window = new FakePickWindow();
  window.inputs.push(...inputs);
  const parts = { window, t: english, openedBy, position: NOWHERE };
  const outcome = pickAnswers(parts, ask, new AbortController().signal);
  return { window, outcome, result: outcome.then(toContent) };
}

/** Undefined while the question is still pending. */
function toContent(outcome: PickOutcome): unknown {
  const answered = outcome.kind === 'answered' ? outcome.answer : undefined;
  return answered?.kind === 'form' ? answered.content : undefined;
}

function choose(window: FakePickWindow, ...labels: readonly string[]): void {
  window.clock.tick(ARM_DELAY);
  window.shown.moveTo(...labels);
  window.shown.enter();
}
