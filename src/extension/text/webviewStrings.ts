import type { Strings } from '../../webview/messages/stringKeys.ts';
import { askStrings } from './askStrings.ts';
import type { Translate } from './translate.ts';

/** All strings of the chat, localized. */
export function webviewStrings(t: Translate): Strings {
  return {
    ...conversationStrings(t),
    ...startStrings(t),
    ...rewindStrings(t),
    ...compactionStrings(t),
    ...contextStrings(t),
    ...queueStrings(t),
    ...looksStrings(t),
    ...outputStrings(t),
    ...subagentStrings(t),
    ...choiceStrings(t),
    ...composerStrings(t),
    ...unreviewedStrings(t),
    ...askStrings(t),
    ...stateStrings(t),
    ...ruleStrings(t),
  };
}

function startStrings(t: Translate) {
  return {
    chooseFirstModel: t('Choose a model to begin'),
    chooseModel: t('Choose Another Model…'),
    openLimits: t('Change Limits…'),
    otherModel: t('Other Model…'),
    startSuggestions: t('Suggestions'),
    useNext: t('Use {0}'),
  };
}

function rewindStrings(t: Translate) {
  return {
    editMessage: t('Edit and Resend'),
    forkMessage: t('Fork from Here'),
    undoRewind: t('Undo Rewind'),
  };
}

function contextStrings(t: Translate) {
  return {
    contextCached: t("Of these, {0} were read from the provider's cache and {1} written to it."),
    tokens: t('{0} tokens'),
    contextUnknown: t("Context: {0} tokens. The size of the model's context isn't known."),
    contextCost: t('Cost so far: {0}.'),
    contextUsed: t('Context: {0} of {1} tokens ({2} %).'),
  };
}

function compactionStrings(t: Translate) {
  return {
    compactCancelled: t('Compaction cancelled'),
    compactFailed: t('The conversation was not compacted'),
    compacted: t('Compacted'),
    compactedMessages: t('Compacted: {0} messages → summary'),
    compactedOutputs: t('Compacted: {0} old outputs left out of requests'),
    compacting: t('Compacting the conversation…'),
  };
}

function queueStrings(t: Translate) {
  return {
    editQueued: t('Edit: {0}'),
    removeQueued: t('Remove: {0}'),
    removedQueued: t('Removed: {0}'),
    undo: t('Undo'),
    dismiss: t('Dismiss'),
    moveQueuedDown: t('Move Down: {0}'),
    moveQueuedUp: t('Move Up: {0}'),
    queuePaused: t('The queue is paused because a turn failed.'),
    resumeQueue: t('Resume Queue'),
    sendQueuedNow: t('Send Now: {0}'),
    steered: t('The running turn takes this message at its next step'),
  };
}

function choiceStrings(t: Translate) {
  return {
    choicesWait: t('Available when the agent has started.'),
    chooseSettings: t('Session Settings…'),
    onlyChoice: t('There is nothing else to choose.'),
    sessionSettings: t('Session settings'),
    settingOff: t('{0}: Off'),
    settingOn: t('{0}: On'),
  };
}

function composerStrings(t: Translate) {
  return {
    attached: t('Attached'),
    dropHint: t('Type @ to attach and / for commands. Hold Shift to drop files here.'),
    imageTooLarge: t('{0} is larger than {1} MB. Attach a smaller image.'),
    escapeAgain: t('Press Escape again to stop.'),
    suggestions: t('Suggestions'),
    attachedCount: t('+{0} attached'),
    removeAttached: t('Remove {0}'),
    removeFailed: t('Remove {0}, which was not attached: {1}'),
    removeReading: t('Remove {0}, which is being read'),
    notAttached: t(
      '{0} could not be attached: {1} The message is kept. Remove the attachment to send without it.',
    ),
    waitsForAttached: t('The message is sent as soon as {0} is read. Press Escape to keep it.'),
  };
}

function conversationStrings(t: Translate) {
  return {
    agent: t('Gatehouse'),
    conversation: t('Conversation'),
    copied: t('Copied'),
    copy: t('Copy'),
    cutMessage: t('{0} more characters not shown.'),
    deletedFile: t('deleted'),
    done: t('Done'),
    empty: t('What would you like to do?'),
    emptyHint: t(
      "Gatehouse asks before it changes a file or runs anything that your rules don't allow.",
    ),
    error: t('Error'),
    image: t('Image (not loaded): {0}'),
    jumpDown: t('New messages'),
    jumpToEnd: t('Go to End'),
    message: t('Message'),
    messageHint: t('Describe what to do'),
    moreRows: t('… and {0} more'),
    newFile: t('new file'),
    newSession: t('New Session'),
    note: t('Note'),
    plan: t('Plan'),
    printedNothing: t('No output.'),
    queue: t('Queue'),
    queued: t('Sent when this turn ends'),
    retry: t('Retry'),
    continue: t('Continue'),
    send: t('Send'),
    restore: t('Restore'),
    revert: t('Revert'),
    openDocument: t('Open Document'),
    showDiff: t('Show Diff'),
    showTerminal: t('Show Terminal'),
    stop: t('Stop'),
    thought: t('Reasoning'),
    unchangedLines: t('{0} lines'),
    user: t('You'),
    userSaid: t('You: {0}'),
  };
}

function subagentStrings(t: Translate) {
  return {
    said: t('{0}: {1}'),
    subagent: t('Subagent'),
    subagentConversation: t('What the subagent did'),
    subagentLeft: t('{0} earlier entries are left out.'),
    subagentLoading: t('Loading what the subagent did…'),
    subagentTask: t('Task: {0}'),
  };
}

function outputStrings(t: Translate) {
  return {
    retryAttempt: t('attempt {0} of {1}'),
    retryNow: t('Try Now'),
    retryOther: t('No answer from the model'),
    retryRateLimited: t('Rate limited'),
    retrySeconds: t('{0} s'),
    retryServerError: t('The model endpoint failed'),
    skipped: t('Not answered'),
    stopCommand: t('Stop Command'),
    continueInBackground: t('Continue in Background'),
    runInTerminal: t('Run in Terminal'),
    copyOutput: t('Copy Output'),
    openOutput: t('Open Full Output'),
    outputCut: t('Output truncated. Only the beginning is shown.'),
    outputCutBefore: t('Output truncated. Only the end is shown.'),
  };
}

function looksStrings(t: Translate) {
  return {
    find: t('Find in chat'),
    findClose: t('Close'),
    findNext: t('Next Match'),
    findNothing: t('No results'),
    findPrevious: t('Previous Match'),
    andSearchedMany: t('{0}, searched {1} times'),
    andSearchedOnce: t('{0}, searched once'),
    readMany: t('Read {0} files'),
    readOne: t('Read 1 file'),
    searchedMany: t('Searched {0} times'),
    searchedOnce: t('Searched once'),
    taskDone: t('done'),
    taskOpen: t('not done'),
  };
}

function unreviewedStrings(t: Translate) {
  return {
    unreviewed: t('Unreviewed changes'),
    reviewChanges: t('Review'),
    keepAll: t('Keep All'),
    undoAll: t('Undo All…'),
  };
}

function stateStrings(t: Translate) {
  return {
    allowedByYou: t('Allowed by you'),
    approvedByRule: t('Allowed by the rule {0}'),
    isolationConfined: t('Sandbox: confined to the workspace'),
    isolationCopy: t('Sandbox: in a copy of the workspace'),
    isolationNone: t('Sandbox: not confined'),
    copiedByRule: t('Ran in a copy by the rule {0}'),
    manageTrust: t('Manage Workspace Trust'),
    noFolder: t('No folder is open. The agent works in a scratch folder.'),
    noModel: t('No model is set up yet.'),
    noModelHint: t('Gatehouse works with any OpenAI-compatible endpoint.'),
    openSettings: t('Open Settings'),
    restartHost: t('Restart Host'),
    restarting: t('Restarting host'),
    running: t('Working'),
    setApiKey: t('Set API Key…'),
    setModel: t('Set Model…'),
    showLog: t('Show Log'),
    starting: t('Starting'),
    statusAborted: t('stopped'),
    statusBackground: t('in background'),
    statusCompleted: t('done'),
    statusDenied: t('denied'),
    statusExit: t('exit {0}'),
    statusFailed: t('failed'),
    statusPending: t('waiting'),
    statusRunning: t('running'),
    statusSignal: t('killed by {0}'),
    stopping: t('Stopping'),
    tour: t('scripted tour'),
    untrusted: t(
      "This workspace is not trusted. You can read past sessions, but the agent doesn't run here.",
    ),
    waiting: t('Waiting for you'),
  };
}

/** What the chat says about rules in settings. */
function ruleStrings(t: Translate) {
  return {
    brokenRules: t(
      'Problems found in your Gatehouse settings: {0}. A rule that cannot be read is treated as "ask".',
    ),
    waitingRules: t('Pending workspace rules: {0}. They have no effect until you accept them.'),
    reviewRules: t('Review Rules…'),
  };
}
