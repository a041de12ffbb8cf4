import { AppError } from '../../src/errors.ts';
import type { Channel, LinkedMessage, Posted, Space } from '../../src/model/place.ts';
import { typedAddress } from '../../src/rich-text/web-address.ts';
import { PLATFORM } from './rich-text/atoms.ts';

export { PLATFORM };

/** A workspace as a space; people's direct messages with the app belong to it too. */
export const spaceOf = (teamId: string): Space => ({ platform: PLATFORM, id: teamId });

export const channelOf = (teamId: string, id: string): Channel => ({ space: spaceOf(teamId), id });

/** Makes timestamps sort as texts. */
export const positionOf = (ts: string): string => ts.padStart(17, '0');

export const timestampAt = (position: string): string => position.replace(/^0+(?=\d)/, '');

export const positionAt = (timeMs: number): string => {
  const seconds = Math.floor(timeMs / 1_000);
  const micros = Math.floor((timeMs % 1_000) * 1_000);
  return positionOf(`${Math.max(0, seconds)}.${String(Math.max(0, micros)).padStart(6, '0')}`);
};

export const writtenMsOf = (position: string): number => Math.floor(Number(position) * 1_000);

const LINK_HOST = /\.slack(?:-gov)?\.com$/;
const LINK_PATH =
  /^\/archives\/(?<channel>[CDG][A-Z0-9]{2,20})\/p(?<seconds>\d{10})(?<micros>\d{6})\/?$/;

const linked = (channel: Channel, ts: string): LinkedMessage => {
  const position = positionOf(ts);
  return { ref: { channel, id: ts }, position, writtenMs: writtenMsOf(position) };
};

/** Reads a message's link ("chat.getPermalink"), which does not name the workspace by its id; undefined for any other. */
export const readLink = ({ hostname, pathname }: URL): LinkedMessage | undefined => {
  const { channel, seconds, micros } = LINK_PATH.exec(pathname)?.groups ?? {};
  if (!LINK_HOST.test(hostname) || !channel) return undefined;
  return linked(channelOf('', channel), `${seconds}.${micros}`);
};

/** Reads a link, or the timestamp of a message `here`; a link leads to the workspace where it was typed. */
export const findMessage = (typed: string, here: Channel): LinkedMessage | undefined => {
  if (/^\d{10}\.\d{6}$/.test(typed.trim())) return linked(here, typed.trim());
  const address = typedAddress(typed);
  const found = address ? readLink(address) : undefined;
  return found && linked(channelOf(here.space.id, found.ref.channel.id), found.ref.id);
};

/** Checks the id of a channel. Throws `not-found` for an impossible one. */
export const channelIdOf = ({ id, space }: Channel): string => {
  if (space.platform !== PLATFORM || !/^[CDG][A-Z0-9]{2,20}$/.test(id))
    throw new AppError('not-found', 'there is no such channel on Slack');
  return id;
};

/** True of a person's conversation with the app, which Home names by the person. */
export const isTalk = ({ id }: Channel): boolean => /^[DUW]/.test(id);

/** Messages of ours that belong together, in order. */
export const postedOf = (channel: Channel, timestamps: readonly string[]): Posted => ({
  channel,
  ids: timestamps as Posted['ids'],
});
