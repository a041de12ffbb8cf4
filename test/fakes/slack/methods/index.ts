import { appMethods } from './apps.ts';
import type { Method } from './call.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import { fileMethods } from './files.ts';
import { peopleMethods } from './people.ts';
import { viewMethods } from './views.ts';

/** The methods of the Web API that the fake has. */
export const METHODS: readonly Method[] = [
  ...appMethods,
  ...peopleMethods,
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
  ...viewMethods,
];
