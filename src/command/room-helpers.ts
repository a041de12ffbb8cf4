import type { PressContext } from './command.ts';
import { userError } from '../errors.ts';
import { channelMention, isSameChannel } from '../model/place.ts';
import type { RichText } from '../model/rich-text.ts';
import type { CaptionRecord, Room } from '../voice/room-types.ts';

type Context = Pick<PressContext, 'services' | 'channel' | 'member'>;

/** True where people can speak with each other. */
export const hasRooms = ({ commands }: Pick<PressContext, 'commands'>): boolean =>
  commands().some(({ needs }) => needs === 'rooms');

/** The room that a member is in together with us. */
export const sharedRoom = ({ services, channel, member }: Context): Room | undefined => {
  const room = services.rooms.of(channel.space);
  const theirs = services.rooms.roomOf(channel.space, member.id);
  return room && theirs && isSameChannel(room.channel, theirs) ? room : undefined;
};

/** The room that we are in, where a member may know of what goes on there; see `joinedRoom`. */
export const roomNearby = (ctx: Context): Room | undefined =>
  ctx.member.role === 'moderator' ? ctx.services.rooms.of(ctx.channel.space) : sharedRoom(ctx);

/**
 * The room that we are in, for those who are in it and for moderators: what is said there is nothing
 * to others, and not theirs to end. Throws a sentence for everybody else, or where we are in none.
 */
export const joinedRoom = (ctx: Context): Room => {
  const room = roomNearby(ctx);
  if (room) return room;
  const elsewhere = ctx.services.rooms.of(ctx.channel.space);
  if (!elsewhere) throw userError('not-found', 'room.none');
  throw userError('forbidden', 'room.not-with-me', { channel: channelMention(elsewhere.channel) });
};

/** The captions of the room that we are in, or left a while ago; for those who were there, and moderators. */
export const captionRecord = (ctx: Context): CaptionRecord => {
  const { services, channel, member } = ctx;
  const isModerator = member.role === 'moderator';
  const here = roomNearby(ctx);
  const left = services.rooms.left(channel.space);
  const theirs = isModerator || left?.people.has(member.id) ? left : undefined;
  const found = [here, theirs].find((record) => record?.hasRecord);
  if (found) return found;
  // Who asks from elsewhere is told so.
  if (services.rooms.of(channel.space)) joinedRoom(ctx);
  throw userError('not-found', 'captions.none');
};

/** Says what captions are translated into. */
export const captionLanguages = (
  languages: readonly string[],
  { services, locale, t }: Pick<PressContext, 'services' | 'locale' | 't'>,
): RichText =>
  languages.length === 0
    ? t('captions.as-spoken')
    : t('captions.into', {
        languages: languages.map((code) => services.languages.name(code, locale)).join(', '),
      });
