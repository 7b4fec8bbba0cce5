import { yesOrNo } from './setting-rules';

export const accessLogSettings = { ACCESS_LOG: yesOrNo.default(false) };
