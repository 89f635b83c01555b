import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { Translate } from '../text/translate.ts';
import { createAcceptanceLenses } from './acceptanceLenses.ts';
import { DamagedFiles } from './damagedFiles.ts';
import { openRule } from './files/ruleFiles.ts';
import { createRuleDocuments, type RuleDocuments } from './goToRule.ts';
import { type RuleReviewParts, reviewRules } from './ruleReview.ts';
import { RULES_SCHEME, RulesFileSystem, toRulesUri } from './rulesFileSystem.ts';
import { WaitingRules } from './waitingRules.ts';

/** Where rules are read, and where those of the workspace are accepted. */
export interface ConnectedRules extends RuleDocuments, vscode.Disposable {
  readonly waiting: WaitingRules;
  /** Asks the user to accept rules of the workspace: all that wait, or those that a lens names. */
  review(argument?: unknown): Promise<void>;
}

export interface ConnectRulesParts extends Pick<RuleReviewParts, 'label' | 'notify'> {
  readonly link: HostLink;
  readonly t: Translate;
  onError(error: unknown): void;
}

/** Registers the documents of rules and the lenses. The host starts when one is read. */
export function connectRules(parts: ConnectRulesParts): ConnectedRules {
  const { link, t, onError } = parts;
  const store = new DisposableStore();
  const files = store.add(
    new RulesFileSystem(async (query) => {
      return (await (await link.connection()).call('rulesDocument', query)).text;
    }),
  );
  const readOnly = { isReadonly: true, isCaseSensitive: true };
  store.add(vscode.workspace.registerFileSystemProvider(RULES_SCHEME, files, readOnly));
  const waiting = new WaitingRules();
  store.add(link.onDidFindProblems((problems) => waiting.update(problems)));
  const damaged = store.add(createDamagedFiles(parts));
  store.add(link.onDidFindProblems((problems) => damaged.update(problems)));
  const ready = () => link.connection().catch(onError);
  store.add(createAcceptanceLenses({ waiting, t, ready }));
  const review = toReview(parts, files, waiting);
  return {
    ...createRuleDocuments(files, t),
    waiting,
    review: (argument) => reviewRules(review, argument),
    dispose: () => store.dispose(),
  };
}

function createDamagedFiles({ t, label, notify, onError }: ConnectRulesParts): DamagedFiles {
  return new DamagedFiles({
    ...{ t, label, notify, clock: systemClock },
    onError,
    showError: vscode.window.showErrorMessage,
    open: (file, line) => {
      const start = new vscode.Position(line - 1, 0);
      return vscode.window.showTextDocument(vscode.Uri.file(file), {
        preview: false,
        selection: new vscode.Range(start, start),
      });
    },
  });
}

function toReview(
  { link, t, label, notify }: ConnectRulesParts,
  files: RulesFileSystem,
  waiting: WaitingRules,
): RuleReviewParts {
  return {
    ...{ window: vscode.window, t, waiting, label, notify },
    ready: () => link.connection(),
    accept: async ({ file, hash }, accepted) => {
      await (await link.connection()).call('accept', { path: file, hash, accepted });
      refresh(files, file);
    },
    showChanges: async (file) => {
      const [before, now] = refresh(files, file);
      const title = t('{0} (Accepted ↔ Current)', label(file));
      await vscode.commands.executeCommand('vscode.diff', before, now, title);
    },
    open: async ({ rule, file }) => {
      await openRule({ rule, file, user: false });
    },
  };
}

/** The documents of a file's rules, accepted and current, which then are read again. */
function refresh(files: RulesFileSystem, file: string): readonly [vscode.Uri, vscode.Uri] {
  const sides = [toRulesUri({ file, accepted: true }), toRulesUri({ file })] as const;
  for (const uri of sides) files.refresh(uri);
  return sides;
}
