/** What operators do about payment channels, in words for people. */
export const channelActions = { 'channel.write_off': 'wrote off what cannot be claimed of' } as const;

export const channelTargets = ['channel'] as const;
