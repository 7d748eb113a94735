// The client for Go that most programs use. It decodes answers into typed structures.
package main

import (
	"os"
	"strings"

	"diorama.test/programs/recorder"
	"github.com/slack-go/slack"
)

func main() {
	defer recorder.Finish()
	bot := slack.New(os.Getenv("SLACK_BOT_TOKEN"))
	person := slack.New(os.Getenv("SLACK_USER_TOKEN"))

	me, err := bot.AuthTest()
	recorder.Call("AuthTest", err, strings.HasPrefix(me.BotID, "B"), me)
	channels, _, err := bot.GetConversations(&slack.GetConversationsParameters{})
	pumps := ""
	for _, one := range channels {
		if one.Name == "pumps" {
			pumps = one.ID
		}
	}
	recorder.Call("GetConversations", err, pumps != "", channels)
	users, err := bot.GetUsers()
	dev := ""
	for _, one := range users {
		if one.Name == "dev" {
			dev = one.ID
		}
	}
	recorder.Call("GetUsers", err, dev != "", users)
	user, err := bot.GetUserInfo(dev)
	recorder.Call("GetUserInfo", err, err == nil && user.RealName == "Dev Sharma", user)
	user, err = bot.GetUserByEmail("dev@northwind.example")
	recorder.Call("GetUserByEmail", err, err == nil && user.ID == dev, user)
	profile, err := bot.GetUserProfile(&slack.GetUserProfileParameters{UserID: dev})
	recorder.Call("GetUserProfile", err, err == nil && profile.Title == "Engineer", profile)
	info, err := bot.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: pumps})
	recorder.Call("GetConversationInfo", err, err == nil && info.Topic.Value == "P-200 launch", info)
	members, _, err := bot.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: pumps})
	recorder.Call("GetUsersInConversation", err, len(members) > 1, members)
	history, err := bot.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: pumps, Limit: 1})
	recorder.Call("GetConversationHistory", err, err == nil && history.HasMore, history)

	_, ts, err := bot.PostMessage(pumps, slack.MsgOptionText("From Go", false))
	recorder.Call("PostMessage", err, ts != "", ts)
	_, reply, err := bot.PostMessage(pumps, slack.MsgOptionText("Re", false), slack.MsgOptionTS(ts))
	recorder.Call("PostMessage in a thread", err, reply != "", reply)
	section := slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", "*Yes*", false, false), nil, nil)
	_, _, err = bot.PostMessage(pumps, slack.MsgOptionBlocks(section))
	recorder.Call("PostMessage with blocks", err, true, nil)
	_, _, err = bot.PostMessage("C0000000000", slack.MsgOptionText("x", false))
	recorder.Refused("PostMessage nowhere", err, "channel_not_found")
	_, _, text, err := bot.UpdateMessage(pumps, ts, slack.MsgOptionText("Changed", false))
	recorder.Call("UpdateMessage", err, text == "Changed", text)
	link, err := bot.GetPermalink(&slack.PermalinkParameters{Channel: pumps, Ts: ts})
	recorder.Call("GetPermalink", err, strings.HasPrefix(link, me.URL), link)
	replies, _, _, err := bot.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: pumps, Timestamp: ts})
	recorder.Call("GetConversationReplies", err, len(replies) == 2, replies)
	item := slack.NewRefToMessage(pumps, ts)
	recorder.Call("AddReaction", bot.AddReaction("eyes", item), true, nil)
	recorder.Refused("AddReaction twice", bot.AddReaction("eyes", item), "already_reacted")
	reacted, err := bot.GetReactions(item, slack.NewGetReactionsParameters())
	recorder.Call("GetReactions", err, len(reacted) == 1, reacted)
	recorder.Call("RemoveReaction", bot.RemoveReaction("eyes", item), true, nil)
	recorder.Call("AddPin", bot.AddPin(pumps, item), true, nil)
	pins, _, err := bot.ListPins(pumps)
	recorder.Call("ListPins", err, len(pins) == 1, pins)
	made, err := bot.CreateConversation(slack.CreateConversationParams{ChannelName: "from-go"})
	recorder.Call("CreateConversation", err, err == nil && made.Name == "from-go", made)
	_, err = bot.CreateConversation(slack.CreateConversationParams{ChannelName: "from-go"})
	recorder.Refused("CreateConversation twice", err, "name_taken")
	if made != nil {
		_, err = bot.InviteUsersToConversation(made.ID, dev)
		recorder.Call("InviteUsersToConversation", err, true, nil)
		_, err = bot.SetTopicOfConversation(made.ID, "Gophers")
		recorder.Call("SetTopicOfConversation", err, true, nil)
		recorder.Call("ArchiveConversation", bot.ArchiveConversation(made.ID), true, nil)
	}
	direct, _, _, err := bot.OpenConversation(&slack.OpenConversationParameters{Users: []string{dev}})
	recorder.Call("OpenConversation", err, err == nil && strings.HasPrefix(direct.ID, "D"), direct)
	upload := slack.UploadFileV2Parameters{Channel: pumps, Filename: "go.txt", Content: "bytes", FileSize: 5}
	file, err := bot.UploadFileV2(upload)
	recorder.Call("UploadFileV2", err, err == nil && file.ID != "", file)
	found, err := person.SearchMessages("invoices", slack.NewSearchParameters())
	recorder.Call("SearchMessages", err, err == nil && found.Total == 1, found)
	_, err = bot.SearchMessages("invoices", slack.NewSearchParameters())
	recorder.Refused("SearchMessages as a bot", err, "not_allowed_token_type")
	team, err := bot.GetTeamInfo()
	recorder.Call("GetTeamInfo", err, err == nil && team.Name == "Northwind Supply", team)
	_, _, err = bot.DeleteMessage(pumps, reply)
	recorder.Call("DeleteMessage", err, true, nil)
}
