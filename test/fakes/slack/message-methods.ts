/** The calls of the Web API that follow messages. */
export const MESSAGE_METHODS = [
  'users.info',
  'usergroups.list',
  'users.conversations',
  'conversations.info',
  'conversations.history',
  'conversations.replies',
  'chat.postMessage',
  'files.info',
] as const;
