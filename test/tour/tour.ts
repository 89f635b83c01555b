import { type Conversation, type ToolResult, toRecord } from './conversation.ts';
import { createFaults } from './faults.ts';
import type { ModelRequest, Reply, Script } from './server.ts';

/**
 * The tour: a model that is a script. It fixes the sample's failing test through real tools, and reacts
 * to what the user decides on the way. Words with `#` provoke what a tester wants to see.
 */
export function createTour(): Script {
  const faults = createFaults();
  return (request) => {
    const { conversation } = request;
    const { prompt } = conversation;
    const [, word = '', rest = ''] = /#(\w[\w-]*)\s*([\s\S]*)/.exec(prompt) ?? [];
    if (word.startsWith('fault-')) return faults(word.slice('fault-'.length), prompt);
    if (word === 'slow') return { text: SLOW, chunkSize: 12, delayMs: 100 };
    if (word === 'long') return { text: longText(Number.parseInt(rest, 10)) };
    if (word === 'call') return callOne(conversation, rest);
    if (word === 'tools') return callEach(request);
    if (/fix|failing|test/i.test(prompt)) return fixTheTest(conversation);
    return { text: GREETING };
  };
}

/** The tour comes from the environment, which wins over the settings. */
const REAL_MODEL =
  'To talk to a real model, end `npm start`, set `GATEHOUSE_MODEL_BASE_URL` and `GATEHOUSE_MODEL_ID`, and start it again.';

const GREETING = `Hello! I am a **scripted tour**, not a model: I play a short script through Gatehouse's real tools, so that you can try them without an account.

Type \`fix the failing test\` and press Enter. I will read two files, ask you a question, propose an edit and run the test. I change and run nothing without your approval.

${REAL_MODEL}`;

const LOOK = `I'll start with the test that fails and the code it covers:

- \`src/sum.js\` is the code
- \`test/sum.test.js\` is its test

`;

const FOUND = `The test is right and the code is not. \`sum\` starts counting at **1**:

\`\`\`js
let total = 1;
\`\`\`

So every sum is one too large, and even \`sum([])\` is 1.

`;

const SOURCE = 'src/sum.js';
const TEST = 'test/sum.test.js';
const BEFORE = 'let total = 1;';
const AFTER = 'let total = 0;';
const COMMAND = 'node --test';

const FIX_CODE = 'Fix the code';
const EXPLAIN = 'Only explain';

const QUESTION = {
  header: 'The fix',
  question: 'How shall I go on?',
  options: [
    { label: FIX_CODE, description: 'Start the sum at 0 in src/sum.js' },
    { label: EXPLAIN, description: 'Change nothing' },
  ],
};

/** Where the tour stands is read off the results of this turn's calls, so it keeps no state. */
function fixTheTest(conversation: Conversation): Reply {
  const { results } = conversation;
  const last = results.at(-1);
  switch (last?.tool) {
    case undefined:
      return {
        reasoning:
          'The user wants the failing test fixed. I should read the test and its code first.',
        text: LOOK,
        calls: [readCall(conversation, SOURCE), readCall(conversation, TEST)],
      };
    case 'read':
      return afterReading(results);
    case 'question':
      return afterQuestion(last, conversation);
    case 'edit':
      return afterEdit(last);
    case 'bash':
      return afterTest(last, results);
    default:
      return { text: 'I have lost my place in the script. Type `fix the failing test` again.' };
  }
}

function readCall(conversation: Conversation, file: string) {
  return { tool: 'read', input: { path: inRoot(conversation, file) } };
}

/** The workspace root as the system prompt states it. */
function inRoot({ system }: Conversation, file: string): string {
  const root = /Workspace root: (.+)/.exec(system)?.[1]?.trim();
  return root === undefined ? file : `${root}/${file}`;
}

function afterReading(results: readonly ToolResult[]): Reply {
  const failed = results.find(({ ok }) => !ok);
  if (failed) {
    return {
      text: `I could not read a file, so I stop here: ${failed.errorText}\n\nNothing was changed. The tour needs the sample workspace.`,
    };
  }
  if (!results.some(({ data }) => JSON.stringify(data).includes(BEFORE))) {
    return {
      text: 'The code is fixed already. I run the test to be sure.\n\n',
      calls: [TEST_CALL],
    };
  }
  return { text: FOUND, calls: [{ tool: 'question', input: { questions: [QUESTION] } }] };
}

const TEST_CALL = { tool: 'bash', input: { command: COMMAND, description: 'Run the tests' } };

function afterQuestion(result: ToolResult, conversation: Conversation): Reply {
  const answers = toRecord(result.data)['answers'];
  const answer = Array.isArray(answers) ? String(answers.flat()[0] ?? '') : '';
  if (result.ok && answer !== '' && answer !== FIX_CODE) {
    const reply = answer === EXPLAIN ? 'Then I leave it at that.' : `You said: "${answer}".`;
    return {
      text: `${reply} Nothing was changed. The fix would be to start \`total\` at 0 in \`${SOURCE}\`.`,
    };
  }
  const lead = result.ok
    ? 'Here is the change; it is one character.'
    : 'Nobody answered, so I propose the smallest change.';
  const edit = { path: inRoot(conversation, SOURCE), old_string: BEFORE, new_string: AFTER };
  return { text: `${lead}\n\n`, calls: [{ tool: 'edit', input: edit }] };
}

function afterEdit(result: ToolResult): Reply {
  if (!result.ok) {
    return {
      text: `The edit was **not made**: ${toldToUser(result)}\n\n\`${SOURCE}\` is as it was, and the test still fails. Tell me if you want it fixed another way.`,
    };
  }
  return { text: 'The file is written. Now the test:\n\n', calls: [TEST_CALL] };
}

/** What a refusal tells the model to do next is left out. */
function toldToUser({ errorText }: ToolResult): string {
  return errorText.replace(/ Do not try it [\s\S]*$/, '');
}

function afterTest(result: ToolResult, results: readonly ToolResult[]): Reply {
  const edited = results.some(({ tool, ok }) => tool === 'edit' && ok);
  const done = edited ? `\`${SOURCE}\` is changed` : 'Nothing was changed';
  if (!result.ok) {
    return {
      text: `The test was **not run**: ${toldToUser(result)}\n\n${done}, but I have not checked it. Run \`${COMMAND}\` yourself when you like.`,
    };
  }
  const exitCode = toRecord(result.data)['exit_code'];
  if (exitCode !== 0) {
    return {
      text: `${done}, and \`${COMMAND}\` ended with exit code ${exitCode}. The terminal shows why.`,
    };
  }
  return { text: edited ? SUMMARY : `\`${COMMAND}\` passes. ${done}.` };
}

const SUMMARY = `Fixed: the test passes.

| File | Change |
| --- | --- |
| \`${SOURCE}\` | the sum starts at 0 |
| \`${TEST}\` | none |

\`\`\`js
export function sum(numbers) {
  ${AFTER}
  for (const number of numbers) {
    total += number;
  }
  return total;
}
\`\`\`

That was the tour. Run **Gatehouse: Focus on Permissions View** from the Command Palette to see the rules in force and how often each decided. ${REAL_MODEL}`;

/** `#call TOOL {json}` makes one call and then says what came of it. */
function callOne({ results }: Conversation, rest: string): Reply {
  const last = results.at(-1);
  if (last) {
    return { text: last.ok ? `\`${last.tool}\` is done.` : `\`${last.tool}\`: ${last.errorText}` };
  }
  const [, tool = '', input = '{}'] = /^(\S+)\s*([\s\S]*)$/.exec(rest.trim()) ?? [];
  return { text: `I call \`${tool}\`.\n\n`, calls: [{ tool, input: input.trim() || '{}' }] };
}

/** `#tools` makes one call of every kind, those the request offers, one after the other. */
function callEach({ conversation, headers }: ModelRequest): Reply {
  const calls = eachTool(conversation, headers['host'] ?? '').filter(({ tool }) =>
    conversation.tools.includes(tool),
  );
  const next = calls[conversation.results.length];
  if (next) return { text: `Now \`${next.tool}\`.\n\n`, calls: [next] };
  const rows = conversation.results.map(
    ({ tool, ok, errorText }) => `| \`${tool}\` | ${ok ? 'done' : errorText.slice(0, 80)} |`,
  );
  return {
    text: `That was one call of each.\n\n| Tool | Outcome |\n| --- | --- |\n${rows.join('\n')}`,
  };
}

function eachTool(conversation: Conversation, host: string) {
  const notes = inRoot(conversation, 'NOTES.md');
  const todo = [
    { content: 'Look around', status: 'completed' },
    { content: 'Write the notes', status: 'in_progress' },
    { content: 'Run a command', status: 'pending' },
  ];
  return [
    { tool: 'todo', input: { items: todo } },
    { tool: 'glob', input: { pattern: '**/*.js' } },
    { tool: 'grep', input: { pattern: 'total' } },
    { tool: 'read', input: { path: inRoot(conversation, SOURCE) } },
    { tool: 'write', input: { path: notes, content: '# Notes\n\nWritten by the tour.\n' } },
    {
      tool: 'edit',
      input: { path: notes, old_string: 'Written by the tour.', new_string: 'Edited by the tour.' },
    },
    { tool: 'bash', input: { command: 'ls', description: 'List the workspace' } },
    { tool: 'web_fetch', input: { url: `http://${host}/tour/page` } },
    { tool: 'web_search', input: { query: 'agent client protocol' } },
    { tool: 'question', input: { questions: [QUESTION] } },
  ];
}

const SLOW = 'This answer trickles in, so that there is time to stop it. '.repeat(100);

/** `#long N`: N KB of Markdown with headings, lists and code, 50 unless said, 8192 at most. */
function longText(kilobytes: number): string {
  const size = Math.min(Number.isNaN(kilobytes) ? 50 : Math.max(1, kilobytes), 8192) * 1024;
  let text = '';
  for (let count = 1; text.length < size; count++) {
    text += `## Section ${count}\n\nSome **bold** and \`inline\` text with a [link](https://example.com/${count}).\n\n- first\n- second\n\n\`\`\`js\nexport const answer${count} = ${count};\n\`\`\`\n\n`;
  }
  return text.slice(0, size);
}
