import { fault } from '../faults.ts';
import { demand, visibleChannel } from '../permissions.ts';
import type { Call } from '../router.ts';
import type { Message } from '../state.ts';

/** The message that `/channels/:id/messages/:id` names; 10008 for one that is gone. */
export const targetOf = (call: Call): Message => {
  const channel = visibleChannel(call.world, call.param(0));
  const message = channel.messages.get(call.param(1));
  if (message === undefined) throw fault(10008);
  return message;
};

/** The same where the bot may read what was said before. */
export const readableTargetOf = (call: Call): Message => {
  demand(call.world, visibleChannel(call.world, call.param(0)), 'ReadMessageHistory');
  return targetOf(call);
};
