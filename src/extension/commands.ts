/** The actions of the commands. `actions.ts` implements them. */
export interface Actions {
  openChat(): unknown;
  newSession(): unknown;
  openSession(item?: unknown): unknown;
  openChatInEditor(item?: unknown): unknown;
  reopenSession(): unknown;
  searchSessions(): unknown;
  renameSession(item?: unknown): unknown;
  pinSession(item?: unknown): unknown;
  unpinSession(item?: unknown): unknown;
  archiveSession(item?: unknown): unknown;
  unarchiveSession(item?: unknown): unknown;
  deleteSession(item?: unknown): unknown;
  forkSession(item?: unknown): unknown;
  exportSession(item?: unknown): unknown;
  importSession(): unknown;
  clearSessions(): unknown;
  refreshSessions(): unknown;
  showMoreSessions(): unknown;
  showArchivedSessions(): unknown;
  hideArchivedSessions(): unknown;
  editMessage(message?: unknown): unknown;
  forkMessage(message?: unknown): unknown;
  undoRewind(): unknown;
  stop(): unknown;
  retry(): unknown;
  setModel(from?: unknown): unknown;
  chooseModel(from?: unknown): unknown;
  useModel(named?: unknown): unknown;
  sessionSettings(): unknown;
  setApiKey(from?: unknown): unknown;
  clearApiKey(): unknown;
  setSearchKey(): unknown;
  focusPending(): unknown;
  hideRequest(): unknown;
  reviewChanges(): unknown;
  showPending(): unknown;
  showLog(): unknown;
  showTerminal(): unknown;
  restartHost(): unknown;
  followAgent(): unknown;
  unfollowAgent(): unknown;
  explainPermission(): unknown;
  explainDecision(call?: unknown): unknown;
  showDecisionLog(): unknown;
  showPrompt(): unknown;
  showTranscript(): unknown;
  refreshRules(): unknown;
  filterRules(): unknown;
  clearRuleFilter(): unknown;
  goToListedRule(item?: unknown): unknown;
  copyListedRule(item?: unknown): unknown;
  removeListedRule(item?: unknown): unknown;
  showMoreRules(item?: unknown): unknown;
  showShippedRules(): unknown;
  showSessionRules(): unknown;
  reviewRules(argument?: unknown): unknown;
  importRules(): unknown;
  reviewTools(): unknown;
  refreshTools(): unknown;
  newTool(): unknown;
  tryTool(tried?: unknown): unknown;
  goToTool(item?: unknown): unknown;
  enableTool(item?: unknown): unknown;
  disableTool(item?: unknown): unknown;
  restartServer(item?: unknown): unknown;
  signInToServer(item?: unknown): unknown;
  signOutOfServer(item?: unknown): unknown;
  reviewProposal(): unknown;
  allowProposal(): unknown;
  denyProposal(): unknown;
  nextProposal(): unknown;
  keepChange(hunk?: unknown): unknown;
  rejectChange(hunk?: unknown): unknown;
  rejectChangeWithReason(hunk?: unknown): unknown;
  editChange(hunk?: unknown): unknown;
  keepSelectedLines(): unknown;
  rejectSelectedLines(): unknown;
  nextChange(): unknown;
  previousChange(): unknown;
  undoChangeDecision(hunk?: unknown): unknown;
  reviewWritten(): unknown;
  keepWritten(hunk?: unknown): unknown;
  undoWritten(hunk?: unknown): unknown;
  keepWrittenFile(file?: unknown): unknown;
  undoWrittenFile(file?: unknown): unknown;
  keepAllWritten(at?: unknown): unknown;
  undoAllWritten(at?: unknown): unknown;
  nextWritten(): unknown;
  previousWritten(): unknown;
  addComment(reply?: unknown): unknown;
  deleteComment(thread?: unknown): unknown;
  addToChat(first?: unknown, ...others: readonly unknown[]): unknown;
  addTerminalToChat(): unknown;
  copyPlainMessage(message?: unknown): unknown;
  copyMessage(message?: unknown): unknown;
  copyOutput(call?: unknown): unknown;
  fixProblem(target?: unknown): unknown;
  explainProblem(target?: unknown): unknown;
  explainLastCommand(): unknown;
  generateCommitMessage(target?: unknown): unknown;
}

/**
 * All commands and their actions. A test compares them with `contributes.commands` in package.json.
 */
export const COMMANDS: Readonly<Record<string, keyof Actions>> = {
  'gatehouse.openChat': 'openChat',
  'gatehouse.newSession': 'newSession',
  'gatehouse.openSession': 'openSession',
  'gatehouse.openChatInEditor': 'openChatInEditor',
  'gatehouse.reopenSession': 'reopenSession',
  'gatehouse.searchSessions': 'searchSessions',
  'gatehouse.renameSession': 'renameSession',
  'gatehouse.pinSession': 'pinSession',
  'gatehouse.unpinSession': 'unpinSession',
  'gatehouse.archiveSession': 'archiveSession',
  'gatehouse.unarchiveSession': 'unarchiveSession',
  'gatehouse.deleteSession': 'deleteSession',
  'gatehouse.forkSession': 'forkSession',
  'gatehouse.exportSession': 'exportSession',
  'gatehouse.importSession': 'importSession',
  'gatehouse.clearSessions': 'clearSessions',
  'gatehouse.refreshSessions': 'refreshSessions',
  'gatehouse.showMoreSessions': 'showMoreSessions',
  'gatehouse.showArchivedSessions': 'showArchivedSessions',
  'gatehouse.hideArchivedSessions': 'hideArchivedSessions',
  'gatehouse.editMessage': 'editMessage',
  'gatehouse.forkMessage': 'forkMessage',
  'gatehouse.undoRewind': 'undoRewind',
  'gatehouse.generateCommitMessage': 'generateCommitMessage',
  'gatehouse.stop': 'stop',
  'gatehouse.retry': 'retry',
  'gatehouse.setModel': 'setModel',
  'gatehouse.chooseModel': 'chooseModel',
  'gatehouse.useModel': 'useModel',
  'gatehouse.sessionSettings': 'sessionSettings',
  'gatehouse.setApiKey': 'setApiKey',
  'gatehouse.clearApiKey': 'clearApiKey',
  'gatehouse.setSearchKey': 'setSearchKey',
  'gatehouse.focusPending': 'focusPending',
  'gatehouse.hideRequest': 'hideRequest',
  'gatehouse.reviewChanges': 'reviewChanges',
  'gatehouse.showPending': 'showPending',
  'gatehouse.showLog': 'showLog',
  'gatehouse.showTerminal': 'showTerminal',
  'gatehouse.restartHost': 'restartHost',
  'gatehouse.followAgent': 'followAgent',
  'gatehouse.unfollowAgent': 'unfollowAgent',
  'gatehouse.explainPermission': 'explainPermission',
  'gatehouse.explainDecision': 'explainDecision',
  'gatehouse.showDecisionLog': 'showDecisionLog',
  'gatehouse.showPrompt': 'showPrompt',
  'gatehouse.showTranscript': 'showTranscript',
  'gatehouse.tryCall': 'explainPermission',
  'gatehouse.refreshRules': 'refreshRules',
  'gatehouse.filterRules': 'filterRules',
  'gatehouse.clearRuleFilter': 'clearRuleFilter',
  'gatehouse.goToListedRule': 'goToListedRule',
  'gatehouse.copyListedRule': 'copyListedRule',
  'gatehouse.removeListedRule': 'removeListedRule',
  'gatehouse.showMoreRules': 'showMoreRules',
  'gatehouse.showShippedRules': 'showShippedRules',
  'gatehouse.showSessionRules': 'showSessionRules',
  'gatehouse.reviewRules': 'reviewRules',
  'gatehouse.importRules': 'importRules',
  'gatehouse.reviewTools': 'reviewTools',
  'gatehouse.refreshTools': 'refreshTools',
  'gatehouse.newTool': 'newTool',
  'gatehouse.tryTool': 'tryTool',
  'gatehouse.goToTool': 'goToTool',
  'gatehouse.enableTool': 'enableTool',
  'gatehouse.disableTool': 'disableTool',
  'gatehouse.restartServer': 'restartServer',
  'gatehouse.signInToServer': 'signInToServer',
  'gatehouse.signOutOfServer': 'signOutOfServer',
  'gatehouse.reviewProposal': 'reviewProposal',
  'gatehouse.allowProposal': 'allowProposal',
  'gatehouse.denyProposal': 'denyProposal',
  'gatehouse.nextProposal': 'nextProposal',
  'gatehouse.keepChange': 'keepChange',
  'gatehouse.rejectChange': 'rejectChange',
  'gatehouse.rejectChangeWithReason': 'rejectChangeWithReason',
  'gatehouse.editChange': 'editChange',
  'gatehouse.keepSelectedLines': 'keepSelectedLines',
  'gatehouse.rejectSelectedLines': 'rejectSelectedLines',
  'gatehouse.nextChange': 'nextChange',
  'gatehouse.previousChange': 'previousChange',
  'gatehouse.undoChangeDecision': 'undoChangeDecision',
  'gatehouse.reviewWritten': 'reviewWritten',
  'gatehouse.keepWritten': 'keepWritten',
  'gatehouse.undoWritten': 'undoWritten',
  'gatehouse.keepWrittenFile': 'keepWrittenFile',
  'gatehouse.undoWrittenFile': 'undoWrittenFile',
  'gatehouse.keepAllWritten': 'keepAllWritten',
  'gatehouse.undoAllWritten': 'undoAllWritten',
  'gatehouse.nextWritten': 'nextWritten',
  'gatehouse.previousWritten': 'previousWritten',
  'gatehouse.addComment': 'addComment',
  'gatehouse.deleteComment': 'deleteComment',
  'gatehouse.addToChat': 'addToChat',
  'gatehouse.fixProblem': 'fixProblem',
  'gatehouse.explainProblem': 'explainProblem',
  'gatehouse.copyPlainMessage': 'copyPlainMessage',
  'gatehouse.copyMessage': 'copyMessage',
  'gatehouse.copyOutput': 'copyOutput',
  'gatehouse.addTerminalToChat': 'addTerminalToChat',
  'gatehouse.explainLastCommand': 'explainLastCommand',
};
