import { ChannelType } from '../codes.ts';
import { fault } from '../faults.ts';
import { joinedGuild, may } from '../permissions.ts';
import { objectBody, route, type Call, type Route } from '../router.ts';
import { changeVoice } from './states.ts';

/** On a stage: to go to the speakers or back to the audience, or to raise a hand. */
const changeOwn = (call: Call): undefined => {
  const { world } = call;
  if (call.param(1) !== '@me') throw fault(50013);
  const guild = joinedGuild(world, call.param(0));
  const own = guild.voiceStates.get(world.bot.id);
  const body = objectBody(call);
  if (own === undefined || (body['channel_id'] ?? own.channel.id) !== own.channel.id)
    throw fault(10065);
  if (own.channel.type !== ChannelType.GuildStageVoice) throw fault(50024);
  const mayDo = (...names: Parameters<typeof may>[3][]): boolean =>
    may(world, own.channel, world.bot.id, ...names);
  const asksToSpeak = typeof body['request_to_speak_timestamp'] === 'string';
  if (body['suppress'] === false && !mayDo('MuteMembers')) throw fault(50013);
  if (asksToSpeak && !mayDo('RequestToSpeak')) throw fault(50013);
  if (typeof body['suppress'] === 'boolean')
    changeVoice(world, guild, world.bot, { suppress: body['suppress'] });
  return undefined;
};

export const voiceRoutes: readonly Route[] = [
  route('PATCH /guilds/:id/voice-states/:id', changeOwn),
];
