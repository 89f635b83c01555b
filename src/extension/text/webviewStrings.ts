import type { Strings } from '../../webview/messages/stringKeys.ts';
import type { Translate } from './translate.ts';

/** All strings of the chat, localized. */
export function webviewStrings(t: Translate): Strings {
  return { ...conversationStrings(t), ...askStrings(t), ...stateStrings(t) };
}

function conversationStrings(t: Translate) {
  return {
    agent: t('Gatehouse'),
    conversation: t('Conversation'),
    copied: t('Copied'),
    copy: t('Copy'),
    cutMessage: t('{0} more characters not shown.'),
    done: t('Done'),
    earlier: t('Show Earlier Messages'),
    empty: t('What would you like to do?'),
    emptyHint: t(
      "Gatehouse asks before it changes a file or runs anything that your rules don't allow.",
    ),
    error: t('Error'),
    image: t('Image (not loaded): {0}'),
    jumpDown: t('New messages'),
    message: t('Message'),
    messageHint: t('Describe what to do'),
    moreRows: t('… and {0} more'),
    newFile: t('new file'),
    newSession: t('New Session'),
    note: t('Note'),
    outputCut: t('Output truncated. Only the beginning is shown.'),
    plan: t('Plan'),
    printedNothing: t('No output.'),
    queue: t('Queue'),
    queued: t('Sent when this turn ends'),
    removeQueued: t('Remove from Queue'),
    retry: t('Retry'),
    send: t('Send'),
    showDiff: t('Show Diff'),
    showTerminal: t('Show Terminal'),
    stop: t('Stop'),
    thought: t('Reasoning'),
    user: t('You'),
  };
}

function askStrings(t: Translate) {
  return {
    addDetail: t('Send Reason'),
    allowAlways: t('Always allow…'),
    allowOnce: t('Allow once'),
    allowSession: t('Allow for session'),
    alsoMatches: t('also matches {0}'),
    answer: t('Answer'),
    answerInPick: t('Answer…'),
    characters: t('{0} characters'),
    decline: t('Skip'),
    deny: t('Deny'),
    denyWithReason: t('Deny with reason…'),
    everywhere: t('Everywhere'),
    inSession: t('This session'),
    inWorkspace: t('This workspace'),
    keptForUser: t('Everywhere (user settings)'),
    keptInSession: t('In this session'),
    keptInWorkspace: t('In this workspace (workspace settings)'),
    hidden: t('Contains hidden or look-alike characters, shown here as code points.'),
    other: t('Other…'),
    otherInstead: t('Other, instead of the choices…'),
    permissionNeeded: t('Permission needed: {0}'),
    permissionNeededNow: t('Permission needed'),
    question: t('Question: {0}'),
    reason: t('Why not, or what to do instead'),
    why: t('Reason: {0}'),
  };
}

function stateStrings(t: Translate) {
  return {
    approvedByRule: t('Allowed by the rule {0}'),
    brokenRules: t(
      'Problems found in your Gatehouse settings: {0}. A rule that cannot be read is treated as "ask".',
    ),
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
