import { NO_WINDOW, type RuleWindow } from '../../base/tools/ruleWindow.ts';
import { diagnoseRules, type RuleDiagnostic } from './diagnostics.ts';
import { findOtherRules } from './otherFiles.ts';
import { type RuleDocument, readRuleDocument } from './ruleDocument.ts';

/** The rules of the open settings files, cached by document version. */
export interface OpenRules {
  get(uri: string): RuleDocument | undefined;
  diagnostics(uri: string): readonly RuleDiagnostic[] | undefined;
  /** What the editor said about the window last. */
  readonly window: RuleWindow;
  setWindow(facts: RuleWindow): void;
  /** Call when a document is closed; its version numbers start over when it opens again. */
  close(uri: string): void;
}

interface Known {
  readonly version: number;
  readonly document: RuleDocument | undefined;
  found?: readonly RuleDiagnostic[];
}

interface OpenText {
  readonly version: number;
  getText(): string;
}

/** Reads the documents that `find` has. */
export function createOpenRules(find: (uri: string) => OpenText | undefined): OpenRules {
  const read = new Map<string, Known>();
  let window = NO_WINDOW;

  function load(uri: string): Known | undefined {
    const text = find(uri);
    if (text === undefined) return undefined;
    const known = read.get(uri);
    if (known?.version === text.version) return known;
    const fresh = { version: text.version, document: readRuleDocument(uri, text.getText()) };
    read.set(uri, fresh);
    return fresh;
  }

  return {
    get: (uri) => load(uri)?.document,
    diagnostics(uri) {
      const known = load(uri);
      if (known?.document === undefined) return undefined;
      known.found ??= diagnoseRules(known.document, window.tools, findOtherRules(uri, window));
      return known.found;
    },
    get window() {
      return window;
    },
    setWindow(facts) {
      window = facts;
      for (const known of read.values()) delete known.found;
    },
    close: (uri) => void read.delete(uri),
  };
}
