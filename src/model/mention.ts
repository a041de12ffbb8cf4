import type { Channel, Space } from './place.ts';
import { mention, type Mention } from './rich-text.ts';

/** Mentions a channel or a thread in a text of ours; its platform shows it as a link. */
export const channelMention = ({ space, id }: Pick<Channel, 'space' | 'id'>): Mention =>
  mention(space.platform, 'channel', id);

/** Mentions a role in a text of ours; nobody is notified. */
export const roleMention = ({ platform }: Space, id: string): Mention =>
  mention(platform, 'role', id);
