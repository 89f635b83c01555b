import * as vscode from 'vscode';
import type { DecisionList } from '../../../acp/gatehouse/explain.ts';
import { asString, fieldAt, parseJson } from '../../../base/json.ts';
import { toToolInput } from '../../../base/tools/toolFacts.ts';
import type { HostLink } from '../../host/hostLink.ts';
import { toPlainRow } from '../../text/plainLabel.ts';
import type { Translate } from '../../text/translate.ts';
import { toDecisionText, toDecisionTitle, toExplainedText, toSettledText } from './explainText.ts';

/** URI scheme of the read-only documents about decisions. */
const SCHEME = 'gatehouse-explain';

/** Their language, for which package.json wraps long lines. */
const LANGUAGE = 'gatehouse-explanation';

/** Documents whose texts are kept. */
const KEPT = 50;

/** A call that waits for the user, so that there is no decision about it yet. */
export interface PendingCall {
  readonly tool: string;
  readonly input: unknown;
  readonly title: string;
}

export interface AskedCalls {
  readonly toolCallId?: string | undefined;
  /** The calls of the session that wait for the user. */
  readonly pending: readonly (PendingCall & { readonly toolCallId: string })[];
}

/** Explains decisions in read-only documents. */
export interface ExplainDocuments extends vscode.Disposable {
  /** What the rules decide about a call, without running it. */
  explain(sessionId: string | undefined, call: PendingCall): Promise<void>;
  /** How a call of the session was decided. Without a call, that of the log's line, or one to choose. */
  explainDecision(sessionId: string | undefined, asked: AskedCalls): Promise<void>;
  /** Opens a read-only document. */
  show(title: string, text: string, language?: string): Promise<void>;
  /** Opens the log of a session. */
  showLog(sessionId: string | undefined): Promise<void>;
}

export function createExplainDocuments(link: HostLink, t: Translate): ExplainDocuments {
  const documents = createTextDocuments(t);
  const list = async (query: { readonly sessionId: string; readonly toolCallId?: string }) =>
    (await link.connection()).call('decisions', query);
  const explain: ExplainDocuments['explain'] = async (sessionId, { tool, input, title }) => {
    const explained = await (await link.connection()).call('explain', {
      ...{ tool, input },
      ...(sessionId !== undefined && { sessionId }),
    });
    await documents.open(t('Explanation'), toExplainedText(title, explained));
  };
  return {
    explain,
    async explainDecision(sessionId, { toolCallId, pending }) {
      if (sessionId === undefined) return showNothing(t);
      const known = toolCallId ?? findLine();
      const past = known === undefined ? await list({ sessionId }) : NO_DECISIONS;
      const id = known ?? (await pick(pending, past, t));
      if (id === undefined) return;
      const asked = pending.find((each) => each.toolCallId === id);
      if (asked !== undefined) return explain(sessionId, asked);
      const { decisions, damaged } = await list({ sessionId, toolCallId: id });
      if (decisions.length === 0) return showNothing(t, damaged);
      await documents.open(t('Decision'), toDecisionText(decisions, t));
    },
    async showLog(sessionId) {
      if (sessionId === undefined) return showNothing(t);
      const { decisions, damaged } = await list({ sessionId });
      if (decisions.length === 0) return showNothing(t, damaged);
      const lines = decisions.map((decision) => `${JSON.stringify(decision)}\n`);
      await documents.open(t('Decision Log'), lines.join(''), 'jsonl');
      if (damaged > 0) showDamage(t, damaged);
    },
    show: (title, text, language) => documents.open(title, text, language),
    dispose: () => documents.dispose(),
  };
}

/** Read-only documents in memory. */
function createTextDocuments(t: Translate) {
  const texts = new Map<string, string>();
  const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: (uri) =>
      texts.get(uri.toString()) ?? t('This text is no longer there. Run the command again.'),
  });
  let opened = 0;
  return {
    async open(name: string, text: string, language = LANGUAGE): Promise<void> {
      opened += 1;
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: String(opened) });
      texts.set(uri.toString(), text);
      for (const key of [...texts.keys()].slice(0, -KEPT)) texts.delete(key);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.languages.setTextDocumentLanguage(document, language);
      await vscode.window.showTextDocument(document, { preview: true });
    },
    dispose: () => provider.dispose(),
  };
}

const NO_DECISIONS = { decisions: [], damaged: 0 } as const;

/** A damaged log may have had what was asked for. */
function showNothing(t: Translate, damaged = 0): void {
  if (damaged > 0) showDamage(t, damaged);
  else void vscode.window.showInformationMessage(t('No decision of this session is in the log.'));
}

function showDamage(t: Translate, damaged: number): void {
  void vscode.window.showWarningMessage(t('Damaged lines in the decision log: {0}.', damaged));
}

/** The call of the line that the cursor is on, if the editor shows a log. */
function findLine(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== SCHEME) return undefined;
  const { text } = editor.document.lineAt(editor.selection.active.line);
  return asString(fieldAt(parseJson(text), 'toolCallId'));
}

/** Lets the user choose a pending or past call, newest first. Resolves with its id. */
async function pick(
  pending: AskedCalls['pending'],
  { decisions, damaged }: Pick<DecisionList, 'decisions' | 'damaged'>,
  t: Translate,
): Promise<string | undefined> {
  if (pending.length + decisions.length === 0) return showNothing(t, damaged) ?? undefined;
  const rows = [
    ...pending.map(({ title, toolCallId }) => ({
      ...{ label: title, description: t('waits for you'), detail: '', id: toolCallId },
    })),
    ...decisions.toReversed().map((decision) => ({
      label: toDecisionTitle(decision),
      description: toSettledText(decision, t),
      detail: decision.reason,
      id: decision.toolCallId,
    })),
  ];
  const placeHolder = t('Select a decision to explain');
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(rows.map(toPlainRow), options))?.id;
}

/** The input of a tool of the host for what its rules match: a command, a path or a host. */
export function toPendingCall(tool: string, target: string): PendingCall {
  return { tool, input: toToolInput(tool, target), title: `${tool}: ${target}` };
}
