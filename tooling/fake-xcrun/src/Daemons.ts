/** The labels of the daemons in a booted simulator, which a parser of `launchctl list` must skip. */
const idle = `
  adprivacyd akd amsaccountsd amsengagementd announced ap.adservicesd appconduitd appstored asktod assetsd
  assistantd atc avatarsd axassetsd bluetoothuserd bookdatastored calaccessd carkitd chronod clipserviced
  cloudphotod companionappd contacts.donation-agent ctkd datamigrator devicecheckd dmd donotdisturbd dprivacyd
  email.maild exchangesyncd familycircled financed followupd gamed geoanalyticsd healthrecordsd inboxupdaterd
  intents.intents-image-service jetpackassetd linkpresentationd mapspushd mediastream.mstreamd mobileassetd.sim
  musicapplicationd navd nearbyd newsd passd photoanalysisd pluginkit.pkd printd progressd quicklook.ThumbnailsAgent
  remindd replayd reversetemplated searchpartyd sociallayerd sportsd storekitd suggestd swtransparencyd
  telephonyutilities.callservicesd translationd universallinksd voicemail.vmd weatherd webbookmarksd webinspectord
`
const busy = `
  SpringBoard backboardd runningboardd UserEventAgent-System installcoordinationd mobile.installd lsd
  CoreSimulator.bridge cfprefsd.xpc.daemon configd_sim distnoted.xpc.daemon locationd securityd tccd trustd
  nsurlsessiond syslogd logd_sim cloudd accountsd apsd imagent identityservicesd homed biomed duetexpertd coreduetd
  contextstored iconservices.iconservicesagent medialibraryd mediaremoted PosterBoard chrono.WidgetRenderer
  corespotlightservice replicatord sharingd rapportd fontservicesd swcd pasted sessionkitd
`

const labels = (text: string) => text.trim().split(/\s+/)

/** Each label, and whether it runs. */
export const daemons: ReadonlyArray<readonly [label: string, runs: boolean]> = [
  ...labels(idle).map((label) => [`com.apple.${label}`, false] as const),
  ...labels(busy).map((label) => [`com.apple.${label}`, true] as const)
]
