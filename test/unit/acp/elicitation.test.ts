import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type FormQuestion, toAnswers, toForm } from '../../../src/acp/elicitation.ts';

const RECORDING = path.join(
  import.meta.dirname,
  '../../fixtures/transcripts/claude-agent-acp-0.100.0-turn.jsonl',
);

const colour: FormQuestion = {
  question: 'Which colour?',
  header: 'Colour',
  options: [{ label: 'Red', description: 'Loud' }, { label: 'Blue' }],
};
const parts: FormQuestion = {
  question: 'Which parts?',
  options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }],
  multi_select: true,
};
const name: FormQuestion = { question: 'What name?' };

test('a single question is the message, with one field for choices and one for free text', () => {
  assert.deepEqual(toForm([colour]), {
    message: 'Which colour?',
    requestedSchema: {
      type: 'object',
      properties: {
        question_0: {
          type: 'string',
          title: 'Colour',
          oneOf: [
            { const: 'Red', title: 'Red', description: 'Loud' },
            { const: 'Blue', title: 'Blue' },
          ],
        },
        question_0_custom: {
          type: 'string',
          title: 'Other',
          description: 'Your own answer instead of the choices.',
        },
      },
    },
  });
});

test('an empty header is omitted', () => {
  const { properties } = toForm([{ question: 'What?', header: '' }]).requestedSchema;
  assert.deepEqual(properties, { question_0: { type: 'string' } });
});

test('the layout is the one a shipped agent was recorded with', () => {
  const [request] = readFileSync(RECORDING, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"elicitation/create"'))
    .map((line) => JSON.parse(line).msg.params);
  const warm = [
    { label: 'Red', description: 'Warm' },
    { label: 'Blue', description: 'Cold' },
  ];
  const form = toForm([{ question: 'Which color?', header: 'Color', options: warm }]);
  const { description: _, ...custom } = request.requestedSchema.properties.question_0_custom;
  const { properties, ...schema } = form.requestedSchema;
  assert.equal(form.message, request.message);
  assert.deepEqual(
    { ...schema, properties: Object.keys(properties ?? {}) },
    {
      type: 'object',
      properties: Object.keys(request.requestedSchema.properties),
    },
  );
  assert.deepEqual(properties?.['question_0'], request.requestedSchema.properties.question_0);
  assert.deepEqual(
    { ...properties?.['question_0_custom'], description: '' },
    { ...custom, description: '' },
  );
});

test('several questions are described field by field, a multi-select as a list', () => {
  const { properties } = toForm([parts, name]).requestedSchema;
  assert.deepEqual(properties?.['question_0'], {
    type: 'array',
    description: 'Which parts?',
    items: {
      anyOf: [
        { const: 'A', title: 'A' },
        { const: 'B', title: 'B' },
        { const: 'C', title: 'C' },
      ],
    },
  });
  assert.deepEqual(properties?.['question_1'], { type: 'string', description: 'What name?' });
  assert.equal(properties?.['question_1_custom'], undefined);
});

check(
  'VC-52: one answer each, the second with several',
  [colour, parts],
  {
    question_0: 'Blue',
    question_1: ['C', 'A'],
  },
  [['Blue'], ['A', 'C']],
);
check(
  'free text takes the place of the choices',
  [colour],
  {
    question_0: 'Red',
    question_0_custom: 'Green',
  },
  [['Green']],
);
check('a skipped question is an empty answer (CA-26)', [colour, name], { question_1: 'Ada' }, [
  [],
  ['Ada'],
]);
check('a list for a single choice keeps one', [colour], { question_0: ['Red', 'Blue'] }, [['Red']]);
check('values of another kind are no answer', [colour], { question_0: 7 }, [[]]);
check('no content at all is every question skipped', [colour, name], undefined, [[], []]);

test('declining gives empty answers, cancelling gives none', () => {
  assert.deepEqual(toAnswers([colour], { action: 'decline' }), [[]]);
  assert.equal(toAnswers([colour], { action: 'cancel' }), undefined);
  assert.equal(toAnswers([colour], { action: 'unheard-of' }), undefined);
});

function check(
  title: string,
  questions: readonly FormQuestion[],
  content: Record<string, string | number | string[]> | undefined,
  expected: readonly (readonly string[])[],
) {
  test(title, () => {
    const response = content === undefined ? { action: 'accept' } : { action: 'accept', content };
    assert.deepEqual(toAnswers(questions, response), expected);
  });
}
