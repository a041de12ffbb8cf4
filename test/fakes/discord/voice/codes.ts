/** Ops of the voice gateway, version 8 (reference, "Voice Opcodes"). */
export const VoiceOp = {
  Identify: 0,
  SelectProtocol: 1,
  Ready: 2,
  Heartbeat: 3,
  SessionDescription: 4,
  Speaking: 5,
  HeartbeatAck: 6,
  Resume: 7,
  Hello: 8,
  Resumed: 9,
  ClientsConnect: 11,
  ClientDisconnect: 13,
  /** Not in the reference, and sent for everybody all the same. */
  ClientFlags: 18,
  ClientPlatform: 20,
} as const;

/** How the voice gateway ends a connection (reference, "Voice Close Event Codes"). */
export const VoiceClose = {
  UnknownOpcode: 4001,
  FailedToDecode: 4002,
  NotAuthenticated: 4003,
  AuthenticationFailed: 4004,
  AlreadyAuthenticated: 4005,
  SessionNoLongerValid: 4006,
  SessionTimeout: 4009,
  ServerNotFound: 4011,
  UnknownProtocol: 4012,
  Disconnected: 4014,
  ServerCrashed: 4015,
  UnknownEncryptionMode: 4016,
  DaveRequired: 4017,
} as const;

/** After 4015, and where the socket ended without a code of the voice gateway, a session can be resumed. */
export const endsSession = (code: number): boolean =>
  code >= 4000 && code !== VoiceClose.ServerCrashed;
